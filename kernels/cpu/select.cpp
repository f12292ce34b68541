#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <array>
#include <cstdlib>
#include <string_view>

#include "kernels/cpu/instruction_sets.h"

namespace strata::kernels {
namespace {

struct Usable {
  std::array<const CpuKernels*, 3> sets{};
  std::size_t count = 0;
};

#if defined(__x86_64__)
/// Two that __builtin_cpu_supports() of clang 14 does not know.
bool hasF16cAndLzcnt() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_F16C) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}
#endif

Usable findUsable() noexcept {
  Usable usable;
  usable.sets[usable.count++] = &scalarKernels();
#if defined(__x86_64__)
  const bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                       hasF16cAndLzcnt();
  if (hasAvx2) usable.sets[usable.count++] = &avx2Kernels();
  const bool hasAvx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                         __builtin_cpu_supports("avx512cd");
  if (hasAvx2 && hasAvx512) usable.sets[usable.count++] = &avx512Kernels();
#endif
  return usable;
}

const CpuKernels& choose() noexcept {
  const auto usable = usableKernels();
  if (const char* wish = std::getenv("STRATA_KERNELS")) {
    for (const CpuKernels* kernels : usable) {
      if (std::string_view(kernels->name) == wish) return *kernels;
    }
  }
  return *usable.back();
}

}  // namespace

std::span<const CpuKernels* const> usableKernels() noexcept {
  static const Usable kUsable = findUsable();
  return {kUsable.sets.data(), kUsable.count};
}

const CpuKernels& bestKernels() noexcept {
  static const CpuKernels& kBest = choose();
  return kBest;
}

const LevelKernels& levelKernels(const CpuKernels& set) noexcept {
#if defined(__x86_64__)
  if (&set == &avx512Kernels()) return avx512LevelKernels();
  if (&set == &avx2Kernels()) return avx2LevelKernels();
#endif
  return scalarLevelKernels();
}

const LevelKernels& bestLevelKernels() noexcept {
  static const LevelKernels& kBest = levelKernels(bestKernels());
  return kBest;
}

const MatrixKernels& matrixKernels(const CpuKernels& set) noexcept {
#if defined(__x86_64__)
  if (&set == &avx512Kernels()) return avx512MatrixKernels();
  if (&set == &avx2Kernels()) return avx2MatrixKernels();
#endif
  return scalarMatrixKernels();
}

const MatrixKernels& bestMatrixKernels() noexcept {
  static const MatrixKernels& kBest = matrixKernels(bestKernels());
  return kBest;
}

const PatternKernels& patternKernels(const CpuKernels& set) noexcept {
#if defined(__x86_64__)
  if (&set == &avx512Kernels()) return avx512PatternKernels();
  if (&set == &avx2Kernels()) return avx2PatternKernels();
#endif
  return scalarPatternKernels();
}

const PatternKernels& bestPatternKernels() noexcept {
  static const PatternKernels& kBest = patternKernels(bestKernels());
  return kBest;
}

const ReplayKernels& replayKernels(const CpuKernels& set) noexcept {
#if defined(__x86_64__)
  if (&set == &avx512Kernels()) return avx512ReplayKernels();
  if (&set == &avx2Kernels()) return avx2ReplayKernels();
#endif
  return scalarReplayKernels();
}

const ReplayKernels& bestReplayKernels() noexcept {
  static const ReplayKernels& kBest = replayKernels(bestKernels());
  return kBest;
}

}  // namespace strata::kernels
