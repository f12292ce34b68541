#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive/manifest.h"
#include "core/result.h"

namespace strata {

/// Manifests of version 2 and later hold each offset as its difference, mod 2^64, to where it would
/// be expected (docs/FORMAT.md, "Offsets"), which is mostly 0. This walks over the offsets of
/// sections, tensors and views and turns them into such differences, or back; nothing else changes.
///
/// Takes files, tensors and tables in the order of the manifest. Fails with CorruptData where a
/// section is of no pack or a tensor's type or shape makes no sense.
class OffsetWalk {
 public:
  enum class Way { ToDifferences, FromDifferences };

  OffsetWalk(std::size_t packCount, Way way);

  Result<void> file(ManifestFile& file);
  Result<void> tensor(ManifestTensor& tensor);
  Result<void> section(PackSection& section);

 private:
  template <typename Owner>
  std::uint64_t turn(Owner& owner, std::uint64_t expected);
  void view(PartView& view, std::uint64_t own, std::size_t source);

  const Way way_;
  std::vector<std::uint64_t> packEnds_;  ///< where the section before ends
  /// Of the view before that was as manyth of its part, from that part's offset.
  std::array<std::uint64_t, kMostPartSources> drifts_{};
  std::uint32_t file_ = 0;  ///< of the tensor before
  std::uint64_t end_ = 0;   ///< of the tensor before
};

}  // namespace strata
