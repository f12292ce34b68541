#pragma once

// The table of the plain loops, which every instruction set starts from (see loops.h).

#include "kernels/cpu/detail/checksum.h"
#include "kernels/cpu/detail/level_loops.h"
#include "kernels/cpu/detail/loops.h"
#include "kernels/cpu/detail/rans_loops.h"

namespace strata::kernels::STRATA_LOOPS {
namespace {

constexpr CpuKernels plainKernels(const char* name) noexcept {
  return {
      .name = name,
      .decodeDeltas = decodeDeltas,
      .decodeSymbols = decodeSymbols,
      .encodeDeltas = encodeDeltas,
      .encodeSymbols = encodeSymbols,
      .classify16 = classify<std::uint16_t>,
      .classify32 = classify<std::uint32_t>,
      .apply16 = apply<std::uint16_t>,
      .apply32 = apply<std::uint32_t>,
      .contexts16 = contexts<std::uint16_t>,
      .contexts32 = contexts<std::uint32_t>,
      .sizes16 = sizes<std::uint16_t>,
      .sizes32 = sizes<std::uint32_t>,
      .countChanged16 = countChanged<std::uint16_t>,
      .countChanged32 = countChanged<std::uint32_t>,
      .squares = squares,
      .widen16 = widen16,
      .narrow16 = narrow16,
      .decay16 = decay16,
      .decay32 = decay32,
      .accumulate = accumulate,
      .addScaled16 = addScaled16,
      .addScaled32 = addScaled32,
      .accumulateWide = accumulateWide,
      .addWide16 = addWide16,
      .addWide32 = addWide32,
      .addValues16 = addValues16,
      .addValues32 = addValues32,
      .nearestLevels = nearestLevels,
      .addSigns = addSigns,
      .addLevels = addLevels,
      .xxh3 = hashBytes,
      .splitPlanes = splitPlanes,
      .joinPlanes = joinPlanes,
  };
}

}  // namespace
}  // namespace strata::kernels::STRATA_LOOPS
