#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/codec/words/word_buffer.h"
#include "core/device/device.h"
#include "kernels/device_engine.h"

namespace strata {

/// Decodes versions piece by piece on the CPU or on a GPU, several pieces at a time, each in a slot
/// with memory of its own. With a GPU that is a queue with pinned memory: while one piece is
/// decoded, another one is written and a third one collected.
class PieceDecoder {
 public:
  /// For `workBytes` bytes in all. `device` is borrowed; null: the CPU.
  /// Fails with Device where a GPU was insisted on and there is none.
  static Result<PieceDecoder> make(Device* device, std::uint64_t workBytes);

  /// What VersionReader::pieces() is to be asked for.
  std::uint64_t pieceBytes() const noexcept;
  std::size_t slotCount() const noexcept { return slots_.size(); }

  /// The bytes of a range of a file, checked block by block; valid until the slot's next call. One
  /// call a slot at a time. Where the GPU cannot, the CPU does it.
  /// Fails as VersionReader::read(), and with Device where a GPU was insisted on and fails.
  Result<std::span<const std::byte>> decode(const VersionReader& reader, std::size_t file,
                                            std::uint64_t offset, std::uint64_t byteCount,
                                            std::size_t slot);

 private:
  struct Slot {
    WordBuffer<std::byte> buffer;
    std::unique_ptr<kernels::DeviceQueue> queue;
  };
  enum class Outcome { Done, NotForDevice, Damaged };

  PieceDecoder(Device* device, kernels::DeviceEngine* engine, std::size_t slotCount)
      : device_(device), engine_(engine), slots_(slotCount) {}

  Result<Outcome> decodeOnDevice(const VersionReader& reader, std::size_t file,
                                 std::uint64_t offset, std::uint64_t byteCount, Slot& slot);

  Device* device_;
  kernels::DeviceEngine* engine_;  ///< null: the CPU
  std::vector<Slot> slots_;
};

}  // namespace strata
