#include "core/archive/write/discarded_objects.h"

#include <fmt/format.h>

namespace strata {
namespace {

class DiscardedObject final : public NewObject {
 public:
  DiscardedObject(std::atomic<std::uint64_t>& allBytes, std::uint64_t mostBytes)
      : allBytes_(allBytes), mostBytes_(mostBytes) {}

  Result<void> append(std::span<const std::byte> bytes) override {
    const std::uint64_t all = allBytes_ += bytes.size();
    if (all > mostBytes_) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("objects of {} bytes, expected {} at most", all, mostBytes_));
    }
    hash_.update(bytes);
    byteCount_ += bytes.size();
    return {};
  }
  std::uint64_t byteCount() const noexcept override { return byteCount_; }
  Result<Digest> commit() override { return hash_.finish(); }

 private:
  std::atomic<std::uint64_t>& allBytes_;  // of all objects of the writer
  const std::uint64_t mostBytes_;
  Sha256 hash_;
  std::uint64_t byteCount_ = 0;
};

}  // namespace

Result<std::unique_ptr<NewObject>> DiscardedObjects::createObject() {
  return std::make_unique<DiscardedObject>(bytes_, mostBytes_);
}

}  // namespace strata
