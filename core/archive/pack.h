#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/objects.h"

namespace strata {

/// Magic "STRATAPK", format version, zero.
inline constexpr std::size_t kPackHeaderBytes = 16;
/// A pack that has reached this size takes no further section.
inline constexpr std::uint64_t kPackBytes = 256'000'000;

/// Fails with CorruptData or FormatTooNew if `pack` does not begin as a pack.
Result<void> checkPackHeader(std::span<const std::byte> pack);

/// Lays sections one after the other into packs. Nothing is committed before commit(). Only the
/// last pack is kept open.
class PackWriter {
 public:
  explicit PackWriter(ObjectWriter& objects, std::uint64_t packBytes = kPackBytes)
      : objects_(objects), packBytes_(packBytes) {}

  Result<PackSection> append(std::span<const std::byte> payload);
  /// Commits all packs and names them in the manifest.
  Result<void> commit(Manifest& manifest);
  std::uint64_t byteCount() const noexcept;

 private:
  ObjectWriter& objects_;
  std::uint64_t packBytes_;
  std::vector<std::unique_ptr<NewObject>> packs_;
};

}  // namespace strata
