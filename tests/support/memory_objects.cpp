#include "tests/support/memory_objects.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/io/temp_file.h"

namespace strata::test {

class MemoryObjects::Draft final : public NewObject {
 public:
  explicit Draft(MemoryObjects& objects) : objects_(objects) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  std::uint64_t byteCount() const noexcept override { return bytes_.size(); }
  Result<Digest> commit() override {
    const Digest digest = sha256(bytes_);
    const std::lock_guard lock(objects_.mutex_);
    objects_.objects_[digest] = bytes_;
    return digest;
  }

 private:
  MemoryObjects& objects_;
  std::vector<std::byte> bytes_;
};

Result<MappedFile> mapBytes(std::span<const std::byte> bytes) {
  const int descriptor = ::memfd_create("strata-test", MFD_CLOEXEC);
  if (descriptor < 0) return fail(ErrorCode::Io, "cannot make a file in memory");
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const auto written = writeAll(descriptor, bytes, path);
  auto mapped = written ? MappedFile::open(path) : Result<MappedFile>(fail(written.error()));
  ::close(descriptor);
  return mapped;
}

Result<MappedFile> MemoryObjects::openObject(const Digest& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(digest);
  if (found == objects_.end()) {
    return fail(ErrorCode::NotFound, "object " + toHex(digest) + " is not in the store");
  }
  return mapBytes(found->second);
}

Result<std::unique_ptr<NewObject>> MemoryObjects::createObject() {
  return std::make_unique<Draft>(*this);
}

std::uint64_t MemoryObjects::byteCount() const {
  std::uint64_t sum = 0;
  for (const auto& [digest, bytes] : objects_) sum += bytes.size();
  return sum;
}

}  // namespace strata::test
