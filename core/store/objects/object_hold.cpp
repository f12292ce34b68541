#include "core/store/objects/object_hold.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "partial";
constexpr const char* kGate = "holds";
constexpr const char* kEnding = ".hold";
constexpr std::chrono::seconds kGateWait{30};
constexpr std::chrono::milliseconds kGatePause{20};

Result<fs::path> makeFolder(const fs::path& storeFolder) {
  const fs::path folder = storeFolder / kFolder;
  STRATA_TRY(const bool isNew, makeStoreFolder(folder));
  if (isNew) STRATA_TRY(syncFolder(storeFolder));
  return folder;
}

/// The gate, locked; both sides pass it quickly.
Result<int> lockGate(const fs::path& folder, int mode, const std::stop_token& stop) {
  const fs::path file = folder / kGate;
  const int descriptor = openStoreFile(file, O_RDWR);
  if (descriptor < 0) return fail(osError(file, "open", errno));
  const auto begin = std::chrono::steady_clock::now();
  while (::flock(descriptor, mode | LOCK_NB) != 0) {
    const int reason = errno;
    const bool isLate = std::chrono::steady_clock::now() - begin > kGateWait;
    const bool isTaken = reason == EWOULDBLOCK || reason == EINTR;
    if (isTaken && !isLate && !stop.stop_requested()) {
      std::this_thread::sleep_for(kGatePause);
      continue;
    }
    ::close(descriptor);
    if (!isTaken) return fail(osError(file, "lock", reason));
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    return fail(ErrorCode::StoreLocked, folder.parent_path().string() +
                                            ": another process is deleting objects, or a pull "
                                            "has been beginning for half a minute; try again");
  }
  return descriptor;
}

void closeIfOpen(int& descriptor) noexcept {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

/// A file's lock belongs to who runs the transfer.
bool isLocked(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return locked;
}

/// None of a file that is gone meanwhile. Lines that are no digests are left out: such a file was
/// cut, with what it holds.
Result<std::set<Digest>> readObjects(const fs::path& file) {
  std::set<Digest> objects;
  const auto mapped = MappedFile::open(file);
  if (!mapped && mapped.error().code == ErrorCode::NotFound) return objects;
  if (!mapped) return fail(mapped.error());
  const auto bytes = mapped->bytes();
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto digest = digestFromHex(text.substr(0, end))) objects.insert(*digest);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  STRATA_TRY(mapped->checkRead());
  return objects;
}

}  // namespace

ObjectHold::ObjectHold(fs::path folder, int gate) noexcept
    : folder_(std::move(folder)), gate_(gate) {}

ObjectHold::ObjectHold(ObjectHold&& other) noexcept
    : folder_(std::move(other.folder_)),
      gate_(std::exchange(other.gate_, -1)),
      file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      outlives_(other.outlives_) {}

ObjectHold::~ObjectHold() {
  if (descriptor_ >= 0 && !outlives_) release();
  closeIfOpen(descriptor_);
  closeIfOpen(gate_);
}

Result<ObjectHold> ObjectHold::begin(const fs::path& storeFolder, const std::stop_token& stop) {
  STRATA_TRY(fs::path folder, makeFolder(storeFolder));
  STRATA_TRY(const int gate, lockGate(folder, LOCK_SH, stop));
  return ObjectHold(std::move(folder), gate);
}

Result<void> ObjectHold::keep(std::int64_t transfer, const std::set<Digest>& objects) {
  std::string text;
  for (const Digest& digest : objects) text += toHex(digest) + '\n';
  const std::string name = transfer != 0 ? std::to_string(transfer) : "run-" + randomName();
  file_ = folder_ / (name + kEnding);
  // Whole or not at all: an earlier run's hold of this transfer is never lost in between.
  STRATA_TRY(writeFileWhole(folder_, file_, text));
  descriptor_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor_ < 0) return fail(osError(file_, "open", errno));
  // Who looks whether it is locked holds it for a moment.
  while (::flock(descriptor_, LOCK_EX) != 0) {
    if (errno != EINTR) return fail(osError(file_, "lock", errno));
  }
  outlives_ = transfer != 0;
  closeIfOpen(gate_);
  return {};
}

void ObjectHold::release() {
  if (descriptor_ >= 0) ::unlink(file_.c_str());
  closeIfOpen(descriptor_);
}

void ObjectHold::drop(const fs::path& storeFolder, std::int64_t transfer) {
  const fs::path file = storeFolder / kFolder / (std::to_string(transfer) + kEnding);
  if (!isLocked(file)) ::unlink(file.c_str());
}

Result<HeldObjects> HeldObjects::collect(const fs::path& storeFolder, const std::stop_token& stop) {
  STRATA_TRY(const fs::path folder, makeFolder(storeFolder));
  STRATA_TRY(const int gate, lockGate(folder, LOCK_EX, stop));
  HeldObjects held(gate);
  std::error_code status;
  fs::directory_iterator entries(folder, status);
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const fs::path& file = entries->path();
    if (file.extension() != kEnding) continue;
    const std::string stem = file.stem().string();
    STRATA_TRY(std::set<Digest> objects, readObjects(file));
    Hold hold{.file = file, .isRunning = isLocked(file), .objects = std::move(objects)};
    std::from_chars(stem.data(), stem.data() + stem.size(), hold.transfer);
    if (hold.transfer == 0 && !hold.isRunning) {  // its process died
      ::unlink(file.c_str());
      continue;
    }
    held.holds_.push_back(std::move(hold));
  }
  if (status) return fail(osError(folder, "list", status.value()));
  return held;
}

HeldObjects::HeldObjects(HeldObjects&& other) noexcept
    : gate_(std::exchange(other.gate_, -1)), holds_(std::move(other.holds_)) {}

HeldObjects::~HeldObjects() { closeIfOpen(gate_); }

bool HeldObjects::contains(const Digest& digest) const noexcept {
  return std::any_of(holds_.begin(), holds_.end(),
                     [&](const Hold& hold) { return hold.objects.contains(digest); });
}

void HeldObjects::leaveOut(const std::function<bool(std::int64_t)>& isOver, bool erase) {
  std::erase_if(holds_, [&](const Hold& hold) {
    if (hold.isRunning || !isOver(hold.transfer)) return false;
    if (erase) ::unlink(hold.file.c_str());
    return true;
  });
}

std::set<Digest> heldObjects(const fs::path& storeFolder) {
  std::set<Digest> held;
  std::error_code status;
  fs::directory_iterator entries(storeFolder / kFolder, status);
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    if (entries->path().extension() != kEnding) continue;
    auto objects = readObjects(entries->path());
    if (objects) held.merge(*objects);
  }
  return held;
}

}  // namespace strata
