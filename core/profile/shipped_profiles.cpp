#include "core/profile/shipped_profiles.h"

#include <array>

namespace strata {
namespace {

// Without an evaluator the quantization is as [quantize] says; with one it is where the search for
// the target begins.
constexpr std::array kShipped{
    ShippedProfile{"balanced", R"(description = "lossy: small, with hardly any loss of quality"
mode = "quality"

[target]
quality_loss = 0.5  # points of score, where an evaluator measures it

[quantize]
step_scale = 0.8    # 1: as coarse as transformers usually bear
)"},
    ShippedProfile{"exact", R"(description = "comes back byte for byte"
mode = "exact"
)"},
    ShippedProfile{"safe", R"(description = "lossy: no loss that an evaluator can measure"
mode = "quality"

[target]
quality_loss = 0.1  # points of score, where an evaluator measures it

[quantize]
step_scale = 0.25   # 1: as coarse as transformers usually bear; errors stay below the change
)"},
    ShippedProfile{"small", R"(description = "lossy: as small as is of use"
mode = "quality"

[target]
quality_loss = 1.5  # points of score, where an evaluator measures it

[quantize]
step_scale = 1.1    # 1: as coarse as transformers usually bear
)"},
};

}  // namespace

std::span<const ShippedProfile> shippedProfiles() noexcept { return kShipped; }

}  // namespace strata
