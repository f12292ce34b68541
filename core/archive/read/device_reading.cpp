#include <algorithm>
#include <cstring>
#include <span>

#include "core/archive/detail/reader_state.h"
#include "core/archive/read/device_plan.h"
#include "core/codec/entropy/block_index.h"
#include "core/float_environment.h"

namespace strata {
namespace {

/// Blocks of a part that a device decodes: whole, in a row, inside of a range of its bytes.
struct DeviceRun {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::uint64_t beginByte = 0;
  std::uint64_t endByte = 0;
};

bool suitsDevice(const BlockIndex& index, std::uint64_t block, std::size_t wordBytes) {
  constexpr std::uint64_t kMostPayload = std::uint64_t{1} << 28;
  return index.wordsIn(block) * wordBytes >= kernels::kLeastDeviceBytes &&
         index.block(block).size() <= kMostPayload;
}

DeviceRun runIn(const OpenPart& part, std::uint64_t offset, std::uint64_t byteCount) {
  const BlockIndex* index = part.decoder->deviceBlocks();
  if (index == nullptr) return {};
  const std::size_t wordBytes = part.shape.word.bytes;
  const std::uint64_t blockBytes = index->blockWords() * wordBytes;
  const std::uint64_t end = offset + byteCount;
  DeviceRun run;
  run.first = (offset + blockBytes - 1) / blockBytes;
  run.end = end == part.shape.byteCount() ? index->blockCount() : end / blockBytes;
  while (run.first < run.end && !suitsDevice(*index, run.first, wordBytes)) ++run.first;
  std::uint64_t last = run.first;
  while (last < run.end && suitsDevice(*index, last, wordBytes)) ++last;
  run.end = last;
  if (run.first >= run.end) return {};
  run.beginByte = run.first * blockBytes;
  run.endByte = std::min(run.end * blockBytes, part.shape.byteCount());
  return run;
}

}  // namespace

/// Plans the parent's words of a part from byte `offset` on; gives their level.
Result<unsigned> VersionReader::State::planParent(const OpenPart& part, ElementType type,
                                                  std::uint64_t offset, std::uint64_t byteCount,
                                                  std::uint64_t outputAt, DevicePlan& plan) {
  const OpenSource& source = part.sources.front();
  const PartView& view = source.view;
  if (source.gathered.empty() && view.type == type) {
    State& reader = view.own ? *this : *parent->state_;
    return reader.plan(view.file, view.offset + offset, byteCount, outputAt, plan);
  }
  STRATA_TRY(plan.addBytes(outputAt, byteCount, [&](std::span<std::byte> out) {
    return sourceWords(part, 0, type, offset / part.shape.word.bytes, out);
  }));
  return 0U;
}

/// Plans bytes of a part: the blocks that lie in the range whole are decoded on the device. Those
/// of a part with several sources have no form for it.
Result<unsigned> VersionReader::State::planPart(std::uint32_t tensor, std::uint32_t index,
                                                std::uint64_t offset, std::uint64_t byteCount,
                                                std::uint64_t outputAt, DevicePlan& plan) {
  STRATA_TRY(const std::shared_ptr<const OpenPart> part, openPart(tensor, index));
  const ElementType type = tensors[tensor].type;
  const std::size_t wordBytes = part->shape.word.bytes;
  const auto byCpu = [&](std::uint64_t from, std::uint64_t to) -> Result<void> {
    if (from == to) return {};
    return plan.addBytes(outputAt + from - offset, to - from, [&](std::span<std::byte> out) {
      return readPart(tensor, index, from, out);
    });
  };
  if (part->codec == CodecId::Same && offset % wordBytes == 0 && byteCount % wordBytes == 0) {
    return planParent(*part, type, offset, byteCount, outputAt, plan);
  }
  const DeviceRun run =
      part->codec == CodecId::Same ? DeviceRun{} : runIn(*part, offset, byteCount);
  if (run.first == run.end) {
    STRATA_TRY(byCpu(offset, offset + byteCount));
    return 0U;
  }
  STRATA_TRY(byCpu(offset, run.beginByte));
  STRATA_TRY(byCpu(run.endByte, offset + byteCount));
  unsigned level = 0;
  const std::uint64_t runAt = outputAt + run.beginByte - offset;
  if (!part->sources.empty()) {
    STRATA_TRY(const unsigned below,
               planParent(*part, type, run.beginByte, run.endByte - run.beginByte, runAt, plan));
    level = below + 1;
  }
  plan.addBlocks(level, part, run.first, run.end, runAt);
  return level;
}

/// Plans bytes of a tensor. Bands of several parts side by side are the CPU's.
Result<unsigned> VersionReader::State::planTensor(std::uint32_t tensor, std::uint64_t offset,
                                                  std::uint64_t byteCount, std::uint64_t outputAt,
                                                  DevicePlan& plan) {
  const TensorLayout& layout = tensors[tensor];
  const std::uint64_t rowBytes = layout.matrix.columns * wordFormat(layout.type).bytes;
  unsigned level = 0;
  for (std::uint32_t p = 0; p < layout.parts.size() && byteCount != 0; ++p) {
    const PartLayout& part = layout.parts[p];
    const std::uint64_t start = part.firstRow * rowBytes;
    const std::uint64_t end = start + part.rowCount * rowBytes;
    if (end <= offset) continue;
    const std::uint64_t n = std::min(end - offset, byteCount);
    if (layout.isFullWidth(part)) {
      STRATA_TRY(const unsigned reached, planPart(tensor, p, offset - start, n, outputAt, plan));
      level = std::max(level, reached);
    } else {
      STRATA_TRY(plan.addBytes(
          outputAt, n, [&](std::span<std::byte> out) { return readTensor(tensor, offset, out); }));
    }
    offset += n;
    outputAt += n;
    byteCount -= n;
  }
  return level;
}

Result<unsigned> VersionReader::State::plan(std::size_t file, std::uint64_t offset,
                                            std::uint64_t byteCount, std::uint64_t outputAt,
                                            DevicePlan& plan) {
  const auto& segments = files[file];
  auto segment = std::partition_point(segments.begin(), segments.end(), [&](const Segment& s) {
    return s.offset + s.byteCount <= offset;
  });
  unsigned level = 0;
  for (; byteCount != 0; ++segment) {
    const std::uint64_t skip = offset - segment->offset;
    const std::uint64_t n = std::min(segment->byteCount - skip, byteCount);
    if (segment->tensor) {
      STRATA_TRY(const unsigned reached, planTensor(*segment->tensor, skip, n, outputAt, plan));
      level = std::max(level, reached);
    } else {
      STRATA_TRY(plan.addBytes(outputAt, n, [&](std::span<std::byte> out) {
        return readSkeleton(file, segment->skeletonOffset + skip, out);
      }));
    }
    offset += n;
    outputAt += n;
    byteCount -= n;
  }
  return level;
}

Result<unsigned> VersionReader::plan(std::size_t file, std::uint64_t offset,
                                     std::uint64_t byteCount, std::uint64_t outputAt,
                                     DevicePlan& plan) const {
  const DefaultFloatEnvironment environment;
  return state_->plan(file, offset, byteCount, outputAt, plan);
}

}  // namespace strata
