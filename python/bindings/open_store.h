#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/config/config.h"
#include "core/device/device.h"
#include "core/ops/inspect/opened_version.h"
#include "core/parallel.h"
#include "core/store/store.h"

namespace strata::python {

/// Something that only the process that made it may use, or take apart: behind it are locks,
/// threads and database connections that a forked child has no part in. A child forgets it.
template <typename T>
class OwnedByProcess {
 public:
  explicit OwnedByProcess(std::unique_ptr<T> object) : object_(std::move(object)) {}
  ~OwnedByProcess() {
    if (!isOwner()) static_cast<void>(object_.release());
  }
  OwnedByProcess(const OwnedByProcess&) = delete;
  OwnedByProcess& operator=(const OwnedByProcess&) = delete;

  bool isOwner() const noexcept;
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_.get(); }

 private:
  std::unique_ptr<T> object_;
  int process_ = currentProcess();
  static int currentProcess() noexcept;
};

struct StoreChoice {
  std::optional<std::filesystem::path> folder = {};  ///< nothing: found as by findStore()
  bool create = false;
  std::optional<std::string> device = {};  ///< auto, cpu or cuda; nothing: as the settings say
  std::optional<std::uint64_t> jobs = {};
  std::optional<double> waitSeconds = {};  ///< for another writer
};

/// A store with the settings in force. All of it is made and used by one process.
struct OpenStore {
  /// Fails with what making and opening a store and reading settings fail with.
  static Result<std::unique_ptr<OpenStore>> open(const StoreChoice& choice);

  Config config;
  std::unique_ptr<Device> device;
  std::unique_ptr<ThreadLimit> threads;  ///< of `jobs`; may be null
  std::unique_ptr<Store> store;
};

/// Shared by the objects of Python that need the store, so that none outlives it.
using SharedStore = std::shared_ptr<OwnedByProcess<OpenStore>>;

}  // namespace strata::python
