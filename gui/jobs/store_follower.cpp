#include "gui/jobs/store_follower.h"

#include <sys/stat.h>

#include <cerrno>

#include "core/store/catalog/transfer_table.h"

namespace strata::gui {

StoreFollower::StoreFollower(std::weak_ptr<Store> store, std::optional<std::int64_t> known)
    : store_(std::move(store)), operation_(known) {}

std::optional<std::int64_t> StoreFollower::lastOperation(const std::filesystem::path& storeFolder) {
  const auto table = TransferTable::open(storeFolder, TransferTable::Access::Read);
  if (!table) return std::nullopt;
  const auto operation = (*table)->otherChanges();
  return operation ? std::optional(*operation) : std::nullopt;
}

void StoreFollower::begin() {
  timer_ = new QTimer(this);
  connect(timer_, &QTimer::timeout, this, &StoreFollower::look);
  timer_->start(kIntervalMs);
  look();
}

void StoreFollower::look() {
  const std::shared_ptr<Store> store = store_.lock();
  if (!store) {
    timer_->stop();
    return;
  }
  if (!isStillThere(store->folder())) {
    timer_->stop();
    emit gone();
    return;
  }
  lookAtRemotes(store->folder());
  const auto version = store->catalog().dataVersion();
  if (!version) return;  // a moment's trouble; the next list says what is wrong
  if (seen_ && *seen_ == *version) return;
  const std::optional<std::int64_t> operation = lastOperation(store->folder());
  if (!operation) return;
  if (operation_ && *operation_ != *operation) emit changed();
  // The first look tells, too: something may have changed between the opening and it.
  emit touched();
  seen_ = *version;
  operation_ = operation;
}

bool StoreFollower::isStillThere(const std::filesystem::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    // Other errors are a moment's trouble, of a share that does not answer for example.
    return errno != ENOENT && errno != ENOTDIR && errno != ESTALE;
  }
  const Identity now(status.st_dev, status.st_ino);
  if (!folder_) folder_ = now;
  std::error_code trouble;
  const bool isEmptied = !std::filesystem::exists(folder / "store.toml", trouble) && !trouble;
  return now == *folder_ && !isEmptied;
}

void StoreFollower::lookAtRemotes(const std::filesystem::path& folder) {
  // A file that is not there yet has the time of none.
  const auto timeOf = [&folder](const char* name) {
    std::error_code status;
    const FileTime written = std::filesystem::last_write_time(folder / name, status);
    return status ? FileTime::min() : written;
  };
  const std::pair now(timeOf("remotes.toml"), timeOf("remotes"));
  if (!remotes_ || *remotes_ != now) emit remotesTouched();
  remotes_ = now;
}

}  // namespace strata::gui
