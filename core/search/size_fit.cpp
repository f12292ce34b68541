#include "core/search/size_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace strata {
namespace {

constexpr double kClose = 0.01;  // to the size that is asked for, in logarithms
constexpr int kMostSizes = 12;
/// Of two multipliers with a jump between their sizes; settings round what is nearer.
constexpr double kNearBoth = 0.01;

/// A multiplier and the logarithm of the bytes that it gives.
struct Sized {
  double scale = 0;
  double bytes = 0;
};

}  // namespace

Result<double> fittedScale(double start, double widest, std::uint64_t mostBytes,
                           const std::function<Result<std::uint64_t>(double scale)>& bytesAt) {
  const double limit = std::log(static_cast<double>(mostBytes));
  std::optional<Sized> fits;  // the finest multiplier that does
  std::optional<Sized> exceeds;
  std::optional<Sized> last;
  double slope = -1.5;
  double scale = start;
  for (int i = 0; i < kMostSizes; ++i) {
    STRATA_TRY(const std::uint64_t measured, bytesAt(scale));
    const Sized here{scale, std::log(static_cast<double>(std::max<std::uint64_t>(measured, 1)))};
    if (last && std::abs(here.scale - last->scale) > 1e-6) {
      slope = std::clamp((here.bytes - last->bytes) / (here.scale - last->scale), -6.0, -0.2);
    }
    last = here;
    (here.bytes <= limit ? fits : exceeds) = here;
    if (here.bytes <= limit && here.bytes > limit - kClose) return scale;
    const bool isJump = fits && exceeds && fits->scale - exceeds->scale < kNearBoth &&
                        exceeds->bytes - fits->bytes > kSizeJump;
    if (isJump) break;
    double next = scale + (limit - kClose / 2 - here.bytes) / slope;
    if (fits && exceeds && (next >= fits->scale || next <= exceeds->scale)) {
      next = (fits->scale + exceeds->scale) / 2;
    }
    next = std::clamp(next, -widest, widest);
    if (std::abs(next - scale) < 1e-4) break;
    scale = next;
  }
  return fits ? fits->scale : scale;
}

}  // namespace strata
