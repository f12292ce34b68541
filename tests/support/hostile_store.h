#pragma once

#include <memory>

#include "core/codec/predict/adam_replay.h"
#include "tests/support/version_store.h"

namespace strata::test {

/// A small base and a version of it, in a store of their own.
struct VersionPair {
  VersionStore store;
  std::unique_ptr<MemoryModel> base;
  std::unique_ptr<MemoryModel> variant;
  WriteReport baseReport;
  WriteReport variantReport;
  Reader baseReader;

  /// Parses a manifest object and opens it as the version.
  Result<Reader> openVariant(std::span<const std::byte> object) const;
};

/// A version whose manifest has every kind of entry but several sources: shared tables, own and
/// transposed views, casts, several parts, a skeleton coded against the parent's.
struct SmallPair : VersionPair {
  SmallPair();
};

/// A version of a run, one step after its base, with parts of several sources. `variant` says how
/// the step goes: a drift stands for several ones.
struct SteppedPair : VersionPair {
  explicit SteppedPair(const AdamVariant& variant);
  /// Several steps after its base, each of which reached few rows.
  explicit SteppedPair(std::uint64_t apart);
  /// With weights in `rounded`, bf16 or f16, in front of their f32 words. The step is not known.
  explicit SteppedPair(ElementType rounded);
};

/// Sets the content digest to what the list of files says, as someone who forges a manifest would.
void reseal(Manifest& manifest);

/// Serializes, parses, opens and restores a forged manifest, as far as each step goes. Files above
/// 64 MB are read in part.
Result<Files> restoreForged(const VersionPair& pair, Manifest manifest);

/// Most memory that this process has had, in bytes.
std::uint64_t peakMemory();

/// Whether that memory is the program's alone: sanitizers keep as much again beside it, and more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMeasuresMemory = false;
#elif defined(__has_feature)
inline constexpr bool kMeasuresMemory =
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
inline constexpr bool kMeasuresMemory = true;
#endif

}  // namespace strata::test
