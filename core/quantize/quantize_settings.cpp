#include "core/quantize/quantize_settings.h"

#include <algorithm>
#include <array>

#include "core/text/glob.h"

namespace strata {
namespace {

/// By Sensitivity.
constexpr std::array<std::string_view, 4> kSensitivityNames = {"auto", "none", "tensors", "rows"};

}  // namespace

bool QuantizeRule::matches(const TensorInfo& tensor) const {
  if (kind && *kind != tensor.kind) return false;
  return matchesGlob(tensor.name, match);
}

std::string_view name(Sensitivity sensitivity) noexcept {
  return kSensitivityNames[static_cast<std::size_t>(sensitivity)];
}

std::optional<Sensitivity> sensitivityFromName(std::string_view name) noexcept {
  const auto found = std::find(kSensitivityNames.begin(), kSensitivityNames.end(), name);
  if (found == kSensitivityNames.end()) return std::nullopt;
  return static_cast<Sensitivity>(found - kSensitivityNames.begin());
}

}  // namespace strata
