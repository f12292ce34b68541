#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/archive/layout.h"
#include "core/archive/read/version_reader.h"
#include "core/archive/write/part_plan.h"

namespace strata {

/// Counts what reading planned parts will take, before they are coded (docs/FORMAT.md, "Block
/// reads").
///
/// A reader counts with block sizes that stand in payloads. Those of the parent are counted so.
/// Those of the plan are not there yet, so these counts are the most that the encoder's choices can
/// lead to: whatever is coded, a reader counts no more.
class PlannedBlockReads {
 public:
  /// All are borrowed. The plan's parts may get sources meanwhile: see forget().
  PlannedBlockReads(const ModelDescription& model, const VersionReader& parent,
                    const ModelPlan& plan);

  /// Most blocks decoded for one block of part `index` of the plan, its own counted. Anything above
  /// kMostBlockReads where that is too many, or where the parent cannot be read.
  std::uint64_t ofPart(std::size_t index);

  /// Most blocks decoded for one block of a part that is coded by these sources.
  std::uint64_t ofSources(const PartPlan& part, std::span<const PartView> sources);

  /// Part `index` has other sources now.
  void forget(std::size_t index) { counted_[index] = 0; }

 private:
  struct PlannedTensor {
    TensorLayout layout;
    std::uint64_t offset = 0;   ///< in its file
    std::size_t firstPart = 0;  ///< index into the plan's
  };

  const PlannedTensor& tensorAt(std::uint32_t file, std::uint64_t offset);
  std::uint64_t ofView(const PartView& view, const PartShape& shape, std::uint64_t first,
                       std::uint64_t count);
  std::uint64_t ofOwn(std::uint32_t file, const ByteRun& run);
  std::uint64_t ofWhole(const PartPlan& part, const PartView& view);
  std::uint64_t ofCopy(const PartPlan& part);

  const ModelDescription& model_;
  const VersionReader& parent_;
  const ModelPlan& plan_;
  std::vector<std::uint64_t> counted_;  ///< by part; 0: not yet
  std::unordered_map<std::uint32_t, PlannedTensor> tensors_;
};

}  // namespace strata
