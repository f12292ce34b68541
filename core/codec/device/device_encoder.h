#pragma once

#include <optional>

#include "core/codec/device/device_form.h"
#include "core/codec/entropy/block_index.h"

namespace strata {

/// The passes over all words of a part that a device does in the encoder's place: counting symbols
/// and encoding blocks, bit for bit as the CPU does both. For one thread.
///
/// Nothing here fails: once the device cannot go on, the CPU is to do the pass, and fault() says
/// why.
class DeviceEncoder {
 public:
  /// Borrows the queue, whose input is lost, and what `input` views: words that
  /// deltaCodable() takes, at least one, and their parent's. Both sides are uploaded once, by the
  /// first pass.
  DeviceEncoder(kernels::DeviceQueue& queue, const EncodeInput& input)
      : queue_(queue), input_(input), arrays_(queue) {}

  /// Counts the symbols of all words; nothing if the device failed.
  std::optional<ContextCounts> count(const DeltaForm& form);

  /// Encodes all words in blocks of 2^blockLog2 and adds these to `index`. False if the device
  /// failed or found no place in the tables for a symbol: `index` then is as it was.
  [[nodiscard]] bool encode(const DeltaForm& form, const TableSet& tables, unsigned blockLog2,
                            BlockIndexWriter& index);

  /// Why the device gave up; None if it did not.
  kernels::DeviceFault fault() const noexcept { return fault_; }

 private:
  using Pass = kernels::DeviceFault (kernels::DeviceQueue::*)(const kernels::DeviceEncoding&);

  kernels::DeviceEncoding describe(const DeltaForm& form);
  bool run(Pass pass, kernels::DeviceEncoding& work);

  kernels::DeviceQueue& queue_;
  const EncodeInput& input_;
  DeviceInput arrays_;  ///< both sides' words, then what one pass needs
  std::uint64_t wordsAt_ = 0;
  std::uint64_t parentAt_ = 0;
  std::size_t sidesBytes_ = 0;     ///< of both sides, once they are in the input
  std::size_t uploadedBytes_ = 0;  ///< of those on the device
  kernels::DeviceFault fault_ = kernels::DeviceFault::None;
};

}  // namespace strata
