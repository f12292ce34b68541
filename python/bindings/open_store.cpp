#include "python/bindings/open_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/config/user_folders.h"
#include "core/ops/versions/init_store.h"
#include "core/store/store_location.h"
#include "hub/open_transport.h"

namespace strata::python {

namespace fs = std::filesystem;

template <typename T>
int OwnedByProcess<T>::currentProcess() noexcept {
  return ::getpid();
}

template <typename T>
bool OwnedByProcess<T>::isOwner() const noexcept {
  return process_ == ::getpid();
}

template class OwnedByProcess<OpenStore>;
template class OwnedByProcess<OpenedVersion>;

namespace {

Result<void> makeStore(const fs::path& folder) {
  if (!Store::isStore(folder)) STRATA_TRY(hub::refuseInsideRemote(folder));
  STRATA_TRY(initStore({.folder = folder}));
  return {};
}

Result<void> applyChoice(const StoreChoice& choice, Config& config) {
  if (choice.device) STRATA_TRY(config.override("device", *choice.device));
  if (choice.jobs) STRATA_TRY(config.override("jobs", std::to_string(*choice.jobs)));
  return {};
}

/// How long to wait for another writer: for ever is ten years.
Result<std::chrono::milliseconds> waitOf(double seconds) {
  constexpr double kLongest = 10.0 * 365 * 24 * 3600;
  if (!(seconds >= 0)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("wait is {}, expected 0 seconds or more", seconds));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, kLongest) * 1000));
}

}  // namespace

Result<std::unique_ptr<OpenStore>> OpenStore::open(const StoreChoice& choice) {
  std::error_code status;
  STRATA_TRY(const StoreLocation location, findStore(choice.folder, fs::current_path(status)));
  const fs::path folder = fs::absolute(location.folder, status);
  if (choice.create) STRATA_TRY(makeStore(folder));
  auto opened = std::make_unique<OpenStore>();
  STRATA_TRY(opened->config, Config::load(userConfigFile(), folder / "config.toml"));
  STRATA_TRY(applyChoice(choice, opened->config));
  STRATA_TRY(opened->store, Store::open(folder));
  const Config& config = opened->config;
  const double wait = choice.waitSeconds.value_or(static_cast<double>(config.number("wait")));
  STRATA_TRY(const std::chrono::milliseconds longest, waitOf(wait));
  opened->store->setLockWait({.longest = longest});
  opened->device = std::make_unique<Device>(
      deviceWishFromName(config.text("device")).value_or(DeviceWish::Auto));
  if (const std::uint64_t jobs = config.number("jobs"); jobs > 0) {
    opened->threads = std::make_unique<ThreadLimit>(jobs);
  }
  return opened;
}

}  // namespace strata::python
