#include "core/archive/write/steps/planned_block_reads.h"

#include <algorithm>
#include <utility>

#include "core/codec/entropy/block_index.h"

namespace strata {
namespace {

/// Words of a block with several sources, and the least of any other.
constexpr std::uint64_t kBlockWords = std::uint64_t{1} << kMinBlockLog2;
/// Parts of a transposed view that a reader gathers together.
constexpr std::uint64_t kGatheredTogether = 4;
/// Blocks more that words of a part can lie in once it is cut: a part's last block, and a short
/// part behind it.
constexpr std::uint64_t kBlocksByCutting = 2;

/// With effort `best` such parts may be cut once more where they are coded.
bool mayBeCut(const PartPlan& part) noexcept { return part.shape().wordCount() > kQuickPartWords; }

}  // namespace

PlannedBlockReads::PlannedBlockReads(const ModelDescription& model, const VersionReader& parent,
                                     const ModelPlan& plan)
    : model_(model), parent_(parent), plan_(plan), counted_(plan.parts.size()) {}

/// The tensor of the model that byte `offset` of a file lies in, which is in one.
const PlannedBlockReads::PlannedTensor& PlannedBlockReads::tensorAt(std::uint32_t file,
                                                                    std::uint64_t offset) {
  const auto behind = std::partition_point(
      model_.tensors.begin(), model_.tensors.end(), [&](const TensorInfo& tensor) {
        return std::pair(tensor.file, tensor.offset) <= std::pair(file, offset);
      });
  const auto index = static_cast<std::uint32_t>(behind - model_.tensors.begin() - 1);
  const auto [found, isNew] = tensors_.try_emplace(index);
  if (!isNew) return found->second;
  const TensorInfo& info = model_.tensors[index];
  PlannedTensor& tensor = found->second;
  tensor.layout.type = info.type;
  tensor.layout.byteCount = info.byteCount;
  tensor.layout.matrix = wordMatrix(info.type, info.shape, info.byteCount);
  tensor.offset = info.offset;
  auto part = std::ranges::lower_bound(plan_.parts, index, {}, &PartPlan::tensor);
  tensor.firstPart = static_cast<std::size_t>(part - plan_.parts.begin());
  for (; part != plan_.parts.end() && part->tensor == index; ++part) {
    tensor.layout.parts.push_back(part->layout);
  }
  return tensor;
}

std::uint64_t PlannedBlockReads::ofOwn(std::uint32_t file, const ByteRun& run) {
  const PlannedTensor& tensor = tensorAt(file, run.offset);
  const std::uint64_t blockBytes = kBlockWords * wordFormat(tensor.layout.type).bytes;
  std::uint64_t sum = 0;
  eachPartIn(tensor.layout, run.offset - tensor.offset, run.byteCount, [&](const PartRun& part) {
    const std::size_t index = tensor.firstPart + part.part;
    std::uint64_t blocks =
        (part.offset + part.byteCount - 1) / blockBytes - part.offset / blockBytes + 1;
    if (mayBeCut(plan_.parts[index])) blocks += kBlocksByCutting;
    sum += blocks * ofPart(index);
    return sum <= kMostBlockReads;
  });
  return sum;
}

/// For `count` words of a view from the part's word `first` on.
std::uint64_t PlannedBlockReads::ofView(const PartView& view, const PartShape& shape,
                                        std::uint64_t first, std::uint64_t count) {
  std::uint64_t sum = 0;
  eachReading(view, shape, first, count, [&](const ByteRun& run) {
    if (view.own) {
      sum += ofOwn(view.file, run);
    } else {
      const auto reads = parent_.blockReadsOf(view.file, run.offset, run.byteCount);
      sum += reads ? *reads : kMostBlockReads + 1;
    }
    return sum <= kMostBlockReads;
  });
  return sum;
}

/// For all words of a view that is a part's only source: a block may hold as many.
std::uint64_t PlannedBlockReads::ofWhole(const PartPlan& part, const PartView& view) {
  const std::uint64_t sum = ofView(view, part.shape(), 0, part.shape().wordCount());
  return isContiguous(view, part.shape()) ? sum : sum * kGatheredTogether;
}

/// A part that is a copy has no blocks: words of it are read where they lie.
std::uint64_t PlannedBlockReads::ofCopy(const PartPlan& part) {
  const std::uint64_t words = part.shape().wordCount();
  if (!isContiguous(*part.view, part.shape())) return ofWhole(part, *part.view);
  std::uint64_t most = 0;
  for (std::uint64_t at = 0; at < words && most <= kMostBlockReads; at += kBlockWords) {
    most = std::max(most, ofView(*part.view, part.shape(), at, std::min(kBlockWords, words - at)));
  }
  return most;
}

std::uint64_t PlannedBlockReads::ofSources(const PartPlan& part,
                                           std::span<const PartView> sources) {
  if (sources.size() == 1) return 1 + ofWhole(part, sources.front());
  // Pieces of a part that is cut begin within a block of the sources.
  const std::uint64_t window = mayBeCut(part) ? 2 * kBlockWords : kBlockWords;
  const std::uint64_t words = part.shape().wordCount();
  std::uint64_t most = 0;
  for (std::uint64_t at = 0; at < words && most <= kMostBlockReads; at += kBlockWords) {
    std::uint64_t sum = 0;
    for (const PartView& source : sources) {
      sum += ofView(source, part.shape(), at, std::min(window, words - at));
    }
    most = std::max(most, sum);
  }
  return 1 + most;
}

std::uint64_t PlannedBlockReads::ofPart(std::size_t index) {
  if (counted_[index] != 0) return counted_[index];
  const PartPlan& part = plan_.parts[index];
  std::uint64_t most = 1;
  if (part.isIdentical) {
    most = std::max(most, ofCopy(part));
  } else {
    const auto take = [&](const PartView& view) { most = std::max(most, 1 + ofWhole(part, view)); };
    if (part.view) take(*part.view);
    if (part.counterpart) take(*part.counterpart);
    if (part.sibling) take(siblingOf(model_, part));
    if (!part.stepSources.empty()) most = std::max(most, ofSources(part, part.stepSources.view()));
  }
  counted_[index] = most;
  return most;
}

}  // namespace strata
