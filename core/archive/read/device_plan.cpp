#include "core/archive/read/device_plan.h"

#include <algorithm>

#include "core/codec/entropy/block_index.h"

namespace strata {
namespace {

/// Bytes that one warp copies.
constexpr std::uint64_t kCopiedBytes = 1 << 15;

}  // namespace

DevicePlan::DevicePlan(kernels::DeviceQueue& queue) : input_(queue) {
  keysAt_ = input_.add(std::span(&kernels::checksumKeys(), 1));
}

Result<void> DevicePlan::addBytes(std::uint64_t outputAt, std::uint64_t byteCount,
                                  const std::function<Result<void>(std::span<std::byte>)>& fill) {
  const std::span<std::byte> room = input_.room(byteCount);
  if (input_.failed()) return {};
  const std::uint64_t from = input_.lastAt();
  STRATA_TRY(fill(room));
  for (std::uint64_t at = 0; at < byteCount; at += kCopiedBytes) {
    kernels::DeviceBlock block;
    block.payloadAt = from + at;
    block.wordCount = static_cast<std::uint32_t>(std::min(kCopiedBytes, byteCount - at));
    block.outputAt = outputAt + at;
    blocks_[{0, kernels::DeviceCoding::Copy}].push_back(block);
  }
  return {};
}

std::uint32_t DevicePlan::numberOf(const std::shared_ptr<const OpenPart>& part) {
  const auto [found, isNew] =
      known_.try_emplace(part.get(), Known{part, static_cast<std::uint32_t>(parts_.size())});
  if (isNew) parts_.push_back(part->decoder->deviceForm(input_));
  return found->second.number;
}

void DevicePlan::addBlocks(unsigned level, const std::shared_ptr<const OpenPart>& part,
                           std::uint64_t first, std::uint64_t end, std::uint64_t outputAt) {
  const BlockIndex& index = *part->decoder->deviceBlocks();
  kernels::DeviceBlock block;
  block.part = numberOf(part);
  auto& blocks = blocks_[{level, parts_[block.part].coding}];
  for (std::uint64_t i = first; i < end; ++i) {
    block.checksum = index.checksum(i);
    block.payloadBytes = static_cast<std::uint32_t>(index.block(i).size());
    block.payloadAt = input_.add(index.block(i));
    block.firstWord = static_cast<std::uint32_t>(i * index.blockWords());
    block.wordCount = static_cast<std::uint32_t>(index.wordsIn(i));
    block.outputAt = outputAt;
    outputAt += index.wordsIn(i) * part->shape.word.bytes;
    blocks.push_back(block);
  }
}

kernels::DeviceBatch DevicePlan::finish(std::size_t outputBytes) {
  if (parts_.empty()) parts_.emplace_back();  // blocks of bytes have one, too
  kernels::DeviceBatch batch;
  batch.keysAt = keysAt_;
  batch.partsAt = input_.add(std::span<const kernels::DevicePart>(parts_));
  std::vector<kernels::DeviceBlock> all;
  for (const auto& [stage, blocks] : blocks_) {
    all.insert(all.end(), blocks.begin(), blocks.end());
    stages_.push_back({stage.coding, static_cast<std::uint32_t>(all.size())});
  }
  batch.blocksAt = input_.add(std::span<const kernels::DeviceBlock>(all));
  batch.stages = stages_;
  batch.inputBytes = input_.size();
  batch.outputBytes = outputBytes;
  return batch;
}

}  // namespace strata
