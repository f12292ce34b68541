#include "hub/kept_upload.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/io/open_file.h"
#include "core/io/store_modes.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTextBytes = std::size_t{1} << 20U;
constexpr std::size_t kDigestDigits = 2 * sizeof(Digest);

/// What follows the object's digest in a file's name.
std::string endingOf(std::string_view place) {
  return fmt::format("-{}.upload", shortHex(sha256(std::as_bytes(std::span(place)))));
}

}  // namespace

/// -1 where there is none, or another process has it.
int KeptUpload::openLocked(const fs::path& file, bool make) {
  const int descriptor =
      ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0), 0600);
  if (descriptor < 0) return -1;
  const bool isOurs = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
                      isStillNamed(descriptor, file);  // else it ended in between
  if (isOurs) return descriptor;
  ::close(descriptor);
  return -1;
}

KeptUpload::KeptUpload(fs::path file, int descriptor, const Digest& object)
    : file_(std::move(file)), descriptor_(descriptor), object_(object) {
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) return;
  text_.resize(std::min(static_cast<std::size_t>(status.st_size), kMostTextBytes));
  const ssize_t count = ::pread(descriptor_, text_.data(), text_.size(), 0);
  text_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
}

KeptUpload::KeptUpload(KeptUpload&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      object_(other.object_),
      text_(std::move(other.text_)) {}

KeptUpload::~KeptUpload() {
  if (descriptor_ < 0) return;
  if (text_.empty()) ::unlink(file_.c_str());
  ::close(descriptor_);
}

KeptUpload KeptUpload::open(const fs::path& folder, std::string_view place, const Digest& object) {
  if (folder.empty()) return {{}, -1, object};
  (void)makeStoreFolder(folder);  // without it nothing is kept
  fs::path file = folder / (toHex(object) + endingOf(place));
  const int descriptor = openLocked(file, true);
  return {std::move(file), descriptor, object};
}

std::vector<KeptUpload> KeptUpload::leftAt(const fs::path& folder, std::string_view place) {
  std::vector<KeptUpload> left;
  if (folder.empty()) return left;
  const std::string ending = endingOf(place);
  std::error_code status;
  for (const auto& entry : fs::directory_iterator(folder, status)) {
    const std::string name = entry.path().filename().string();
    const auto object = digestFromHex(name.substr(0, kDigestDigits));
    if (!object || name.substr(kDigestDigits) != ending) continue;
    const int descriptor = openLocked(entry.path(), false);
    if (descriptor >= 0) left.push_back(KeptUpload(entry.path(), descriptor, *object));
  }
  return left;
}

void KeptUpload::write(std::string_view text) {
  if (descriptor_ < 0 || text.size() > kMostTextBytes) return;
  text_ = text;
  const bool isWritten =
      ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
      ::ftruncate(descriptor_, static_cast<off_t>(text.size())) == 0;
  if (!isWritten) forget();
}

void KeptUpload::forget() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(std::exchange(descriptor_, -1));
  text_.clear();
}

}  // namespace strata::hub
