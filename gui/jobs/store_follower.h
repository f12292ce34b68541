#pragma once

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/store/store.h"

namespace strata::gui {

/// Looks at a store's catalog several times a second and tells when somebody has changed it, or
/// taken the store away. Lives on a worker thread, for it reads the disk.
class StoreFollower final : public QObject {
  Q_OBJECT

 public:
  using FileTime = std::filesystem::file_time_type;

  /// A change of another program shows within this time, plus that of a look.
  static constexpr int kIntervalMs = 400;

  /// `known` is the last operation that whoever is told knows of: lastOperation() before its list
  /// was made, so that no change falls between the two.
  StoreFollower(std::weak_ptr<Store> store, std::optional<std::int64_t> known);

  /// The number of the last operation on versions, tags or the trash. None where the catalog cannot
  /// be read at the moment.
  static std::optional<std::int64_t> lastOperation(const std::filesystem::path& storeFolder);

 public slots:
  void begin();

 signals:
  /// Versions, tags or the trash.
  void changed();
  /// Perhaps only the list of transfers.
  void touched();
  /// The list of remotes, or what one of them listed.
  void remotesTouched();
  /// The folder of the store is gone, or another one is in its place. Nothing more is told then.
  void gone();

 private:
  /// What a folder is, whatever it is called: device and number.
  using Identity = std::pair<std::uint64_t, std::uint64_t>;

  void look();
  void lookAtRemotes(const std::filesystem::path& folder);
  bool isStillThere(const std::filesystem::path& folder);

  std::weak_ptr<Store> store_;
  std::optional<std::int64_t> seen_;
  std::optional<std::int64_t> operation_;  ///< the last one told
  /// When the files of the remotes were last written.
  std::optional<std::pair<FileTime, FileTime>> remotes_;
  std::optional<Identity> folder_;  ///< as it was first seen
  QTimer* timer_ = nullptr;
};

}  // namespace strata::gui
