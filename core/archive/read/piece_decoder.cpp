#include "core/archive/read/piece_decoder.h"

#include <algorithm>

#include "core/archive/read/device_plan.h"
#include "core/parallel.h"

namespace strata {
namespace {

using kernels::BlockState;
using kernels::DeviceFault;

constexpr std::uint64_t kCpuPieceBytes = std::uint64_t{1} << 18;
constexpr std::size_t kMostCpuSlots = 32;
/// Enough blocks to fill a GPU, in a few hundred megabytes of pinned memory in all.
constexpr std::uint64_t kDevicePieceBytes = std::uint64_t{32} << 20;
constexpr std::size_t kMostDeviceSlots = 4;

}  // namespace

Result<PieceDecoder> PieceDecoder::make(Device* device, std::uint64_t workBytes) {
  kernels::DeviceEngine* engine = nullptr;
  if (device != nullptr) {
    STRATA_TRY(engine, device->engineFor(workBytes));
  }
  const std::size_t most = engine == nullptr ? kMostCpuSlots : kMostDeviceSlots;
  return PieceDecoder(device, engine, std::clamp<std::size_t>(threadCount() + 1, 2, most));
}

std::uint64_t PieceDecoder::pieceBytes() const noexcept {
  return engine_ == nullptr ? kCpuPieceBytes : kDevicePieceBytes;
}

Result<std::span<const std::byte>> PieceDecoder::decode(const VersionReader& reader,
                                                        std::size_t file, std::uint64_t offset,
                                                        std::uint64_t byteCount,
                                                        std::size_t slotNumber) {
  Slot& slot = slots_[slotNumber];
  Outcome outcome = Outcome::NotForDevice;
  if (engine_ != nullptr) {
    STRATA_TRY(outcome, decodeOnDevice(reader, file, offset, byteCount, slot));
    if (outcome == Outcome::Done) return slot.queue->output();
  }
  const std::span<std::byte> out = slot.buffer.first(byteCount);
  STRATA_TRY(reader.read(file, offset, out));
  if (outcome == Outcome::Damaged) STRATA_TRY(device_->giveUp("it decoded sound blocks wrongly"));
  return std::span<const std::byte>(out);
}

Result<PieceDecoder::Outcome> PieceDecoder::decodeOnDevice(const VersionReader& reader,
                                                           std::size_t file, std::uint64_t offset,
                                                           std::uint64_t byteCount, Slot& slot) {
  const auto giveUp = [&](DeviceFault fault) -> Result<Outcome> {
    STRATA_TRY(device_->giveUp(kernels::describe(fault)));
    return Outcome::NotForDevice;
  };
  if (device_->hasGivenUp()) return Outcome::NotForDevice;
  if (slot.queue == nullptr) slot.queue = engine_->makeQueue();
  if (slot.queue == nullptr) return giveUp(DeviceFault::OutOfMemory);
  DevicePlan plan(*slot.queue);
  // What goes wrong here is damage, which the CPU finds, too, and names.
  if (!reader.plan(file, offset, byteCount, 0, plan)) return Outcome::NotForDevice;
  if (!plan.failed() && !plan.hasDecoding()) return Outcome::NotForDevice;
  const kernels::DeviceBatch batch = plan.finish(byteCount);
  if (plan.failed()) return giveUp(DeviceFault::OutOfMemory);
  const DeviceFault fault = slot.queue->run(batch);
  if (fault != DeviceFault::None) return giveUp(fault);
  const auto states = slot.queue->states();
  const bool isSound =
      std::all_of(states.begin(), states.end(), [](BlockState s) { return s == BlockState::Good; });
  return isSound ? Outcome::Done : Outcome::Damaged;
}

}  // namespace strata
