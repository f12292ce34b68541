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
Result<unsigned> VersionReader::State::planParent(const OpenPart& part, std::uint64_t offset,
                                                  std::uint64_t byteCount, std::uint64_t outputAt,
                                                  DevicePlan& plan) {
  const OpenSource& source = part.sources.front();
  const PartView& view = source.view;
  if (source.gathered.empty() && view.type == part.type) {
    State& reader = view.own ? *this : *parent->state_;
    return reader.plan(view.file, view.offset + offset, byteCount, outputAt, plan);
  }
  STRATA_TRY(plan.addBytes(outputAt, byteCount, [&](std::span<std::byte> out) {
    return sourceWords(part, 0, offset / part.shape.word.bytes, out);
  }));
  return 0U;
}

/// Plans bytes of a part: the blocks that lie in the range whole are decoded on the device. Those
/// of a part with several sources have no form for it.
Result<unsigned> VersionReader::State::planPart(std::uint32_t tensor, std::uint32_t index,
                                                std::uint64_t offset, std::uint64_t byteCount,
                                                std::uint64_t outputAt, DevicePlan& plan) {
  STRATA_TRY(const std::shared_ptr<const OpenPart> part, openPart(tensor, index));
  const std::size_t wordBytes = part->shape.word.bytes;
  const auto byCpu = [&](std::uint64_t from, std::uint64_t to) -> Result<void> {
    if (from == to) return {};
    return plan.addBytes(outputAt + from - offset, to - from, [&](std::span<std::byte> out) {
      return readPart(tensor, index, from, out);
    });
  };
  if (part->codec == CodecId::Same && offset % wordBytes == 0 && byteCount % wordBytes == 0) {
    return planParent(*part, offset, byteCount, outputAt, plan);
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
               planParent(*part, run.beginByte, run.endByte - run.beginByte, runAt, plan));
    level = below + 1;
  }
  plan.addBlocks(level, part, run.first, run.end, runAt);
  return level;
}

/// Plans one stretch. Skeletons are the CPU's, and bands of several parts side by side.
Result<unsigned> VersionReader::State::planStretch(std::size_t file, const Stretch& stretch,
                                                   std::uint64_t outputAt, DevicePlan& plan) {
  if (stretch.tensor && !stretch.isBand()) {
    return planPart(*stretch.tensor, stretch.firstPart, stretch.offset, stretch.byteCount, outputAt,
                    plan);
  }
  STRATA_TRY(plan.addBytes(outputAt, stretch.byteCount, [&](std::span<std::byte> out) {
    return readStretch(file, stretch, out);
  }));
  return 0U;
}

Result<unsigned> VersionReader::State::plan(std::size_t file, std::uint64_t offset,
                                            std::uint64_t byteCount, std::uint64_t outputAt,
                                            DevicePlan& plan) {
  unsigned level = 0;
  RangeWalk walk(files[file], tensors, offset, byteCount);
  while (const std::optional<Stretch> stretch = walk.next()) {
    STRATA_TRY(const unsigned reached, planStretch(file, *stretch, outputAt, plan));
    level = std::max(level, reached);
    outputAt += stretch->byteCount;
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
