#include "core/codec/device/device_encoder.h"

#include <algorithm>
#include <cstring>

#include "core/codec/exact/delta_codec.h"

namespace strata {
namespace {

using kernels::DeviceFault;

static_assert(kContexts == kernels::kDeviceContexts);

}  // namespace

std::optional<ContextCounts> DeviceEncoder::count(const DeltaForm& form) {
  if (fault_ != DeviceFault::None) return std::nullopt;
  kernels::DeviceEncoding work = describe(form);
  if (!run(&kernels::DeviceQueue::count, work)) return std::nullopt;
  ContextCounts counts(work.alphabet);
  const std::byte* from = queue_.output().data();
  for (std::size_t context = 0; context < kContexts; ++context) {
    for (std::size_t symbol = 0; symbol < work.alphabet; ++symbol) {
      std::uint32_t times = 0;
      std::memcpy(&times, from, sizeof times);
      from += sizeof times;
      counts.add(context, symbol, times);
    }
  }
  return counts;
}

bool DeviceEncoder::encode(const DeltaForm& form, const TableSet& tables, unsigned blockLog2,
                           BlockIndexWriter& index) {
  if (fault_ != DeviceFault::None) return false;
  kernels::DeviceEncoding work = describe(form);
  work.part.symbols.mapAt = arrays_.add(std::span<const std::uint8_t>(tables.map));
  work.entriesAt =
      arrays_.add(std::span<const kernels::RansEncoderEntry>(encoderTable(tables.tables)));
  work.blockWords = std::uint32_t{1} << blockLog2;
  if (!run(&kernels::DeviceQueue::encode, work)) return false;
  const auto sizes = queue_.streamBytes();
  if (std::find(sizes.begin(), sizes.end(), 0U) != sizes.end()) return false;
  auto streams = queue_.output();
  index.blocks().reserve(streams.size());
  auto words = input_.words;
  const std::size_t step = std::size_t{work.blockWords} * input_.shape.word.bytes;
  for (const std::uint32_t bytes : sizes) {
    const auto stream = streams.first(bytes);
    const auto block = words.first(std::min(step, words.size()));
    index.blocks().insert(index.blocks().end(), stream.begin(), stream.end());
    index.endBlock(block);
    streams = streams.subspan(bytes);
    words = words.subspan(block.size());
  }
  return true;
}

/// What both passes need, behind both sides' words.
kernels::DeviceEncoding DeviceEncoder::describe(const DeltaForm& form) {
  if (sidesBytes_ == 0) {
    wordsAt_ = arrays_.add(input_.words);
    parentAt_ = arrays_.add(input_.parent);
    sidesBytes_ = arrays_.size();
  }
  arrays_.rewind(sidesBytes_);
  kernels::DeviceEncoding work;
  work.part = deltaFormOf(input_.shape, form, arrays_);
  work.wordsAt = wordsAt_;
  work.parentAt = parentAt_;
  work.wordCount = static_cast<std::uint32_t>(input_.shape.wordCount());
  work.alphabet = static_cast<std::uint32_t>(deltaAlphabet(input_.shape.word));
  return work;
}

/// False if the device cannot go on.
bool DeviceEncoder::run(Pass pass, kernels::DeviceEncoding& work) {
  work.inputBytes = arrays_.size();
  work.keptBytes = uploadedBytes_;
  fault_ = arrays_.failed() ? DeviceFault::OutOfMemory : (queue_.*pass)(work);
  if (fault_ != DeviceFault::None) return false;
  uploadedBytes_ = sidesBytes_;
  return true;
}

}  // namespace strata
