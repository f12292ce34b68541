#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "core/archive/objects.h"

namespace strata::test {

/// A store's objects in memory, for tests that also want to lose, cut or damage them.
class MemoryObjects final : public ObjectReader, public ObjectWriter {
 public:
  Result<MappedFile> openObject(const Digest& digest) const override;
  Result<std::unique_ptr<NewObject>> createObject() override;

  const std::map<Digest, std::vector<std::byte>>& all() const noexcept { return objects_; }
  /// The bytes of an object that is there.
  std::vector<std::byte>& at(const Digest& digest) { return objects_.at(digest); }
  const std::vector<std::byte>& at(const Digest& digest) const { return objects_.at(digest); }
  void erase(const Digest& digest) { objects_.erase(digest); }
  std::uint64_t byteCount() const;

 private:
  class Draft;

  mutable std::mutex mutex_;  ///< guards `objects_` against writers
  std::map<Digest, std::vector<std::byte>> objects_;
};

/// `bytes` as a mapped file.
Result<MappedFile> mapBytes(std::span<const std::byte> bytes);

}  // namespace strata::test
