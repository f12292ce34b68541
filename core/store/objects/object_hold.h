#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <stop_token>
#include <vector>

#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// Objects that a pull counts on before a version lists them: it fetched them or found them here.
/// Whoever deletes objects looks at HeldObjects first, so the write lock is not needed meanwhile.
///
///     STORE/partial/holds       locked by who begins a hold (shared) and who deletes (exclusive)
///     STORE/partial/NAME.hold   its objects, a digest a line; locked while the pull runs
///
/// NAME is the number of the transfer in the catalog: that hold outlives the process, until the
/// transfer is over. One without a number goes with the process. Move-only.
class ObjectHold {
 public:
  /// From here on nobody deletes objects, until `keep` has said which ones are meant: look at what
  /// is here in between, and do nothing slow. Waits some seconds for who deletes now.
  /// Fails with StoreLocked, Cancelled, NoSpace, Io.
  static Result<ObjectHold> begin(const std::filesystem::path& storeFolder,
                                  const std::stop_token& stop);

  ObjectHold(ObjectHold&& other) noexcept;
  ObjectHold& operator=(ObjectHold&&) = delete;
  /// What has a number stays held.
  ~ObjectHold();

  /// Holds these and nothing else. `transfer`: its number in the catalog; 0: it has none. Called
  /// once. Fails with NoSpace or Io.
  Result<void> keep(std::int64_t transfer, const std::set<Digest>& objects);

  /// The transfer is over: holds nothing any more.
  void release();

  /// Ends what a transfer that nobody runs any more has held.
  static void drop(const std::filesystem::path& storeFolder, std::int64_t transfer);

 private:
  ObjectHold(std::filesystem::path folder, int gate) noexcept;

  std::filesystem::path folder_;
  int gate_ = -1;  ///< locked, until `keep`
  std::filesystem::path file_;
  int descriptor_ = -1;  ///< of `file_`, locked
  bool outlives_ = false;
};

/// What is held. While this lives, no hold begins. Move-only.
class HeldObjects {
 public:
  struct Hold {
    std::filesystem::path file;
    std::int64_t transfer = 0;  ///< 0: it has no number
    bool isRunning = false;
    std::set<Digest> objects = {};
  };

  /// Reads all holds; those without a number go if their process died. Waits some seconds for holds
  /// that begin. Fails with StoreLocked, Cancelled,
  /// Io.
  static Result<HeldObjects> collect(const std::filesystem::path& storeFolder,
                                     const std::stop_token& stop);

  HeldObjects(HeldObjects&& other) noexcept;
  HeldObjects& operator=(HeldObjects&&) = delete;
  ~HeldObjects();

  const std::vector<Hold>& all() const noexcept { return holds_; }
  bool contains(const Digest& digest) const noexcept;

  /// Leaves out the holds of transfers that nobody runs and that are over, as `isOver` says. With
  /// `erase` their files go, too.
  void leaveOut(const std::function<bool(std::int64_t transfer)>& isOver, bool erase);

 private:
  explicit HeldObjects(int gate) noexcept : gate_(gate) {}

  int gate_ = -1;
  std::vector<Hold> holds_;
};

/// What is held at this moment, as far as it can be read. For who deletes nothing.
std::set<Digest> heldObjects(const std::filesystem::path& storeFolder);

}  // namespace strata
