#include "core/archive/discarded_objects.h"

namespace strata {
namespace {

class DiscardedObject final : public NewObject {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    hash_.update(bytes);
    byteCount_ += bytes.size();
    return {};
  }
  std::uint64_t byteCount() const noexcept override { return byteCount_; }
  Result<Digest> commit() override { return hash_.finish(); }

 private:
  Sha256 hash_;
  std::uint64_t byteCount_ = 0;
};

}  // namespace

Result<std::unique_ptr<NewObject>> DiscardedObjects::createObject() {
  return std::make_unique<DiscardedObject>();
}

}  // namespace strata
