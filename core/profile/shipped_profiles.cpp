#include "core/profile/shipped_profiles.h"

#include <array>

namespace strata {
namespace {

// Without an evaluator the quantization is as [quantize] says; with one it is where the search for
// the target begins.
constexpr std::array kShipped{
    ShippedProfile{"balanced", R"(description = "lossy: small; measure what it loses"
mode = "quality"

[target]
quality_loss = 0.5  # points of score, where an evaluator measures it

[quantize]
step_scale = 0.8    # 1: as coarse as transformers usually bear
)"},
    ShippedProfile{"exact", R"(description = "comes back byte for byte"
mode = "exact"
)"},
    ShippedProfile{
        "lc-checkpoint",
        R"(description = "lossy, as LC-Checkpoint: changes of weights by exponent, 3 bits"
mode = "quality"

[quantize]
codec = "exponent"  # arXiv 2009.13003; what an optimizer keeps stays exact, as there
bits = 3            # the 7 buckets of largest exponents; what is smaller waits for a later snapshot
)"},
    ShippedProfile{"resume",
                   R"(description = "lossy for training on: weights exact, moments quantized"
mode = "quality"

[quantize]
codec = "integer"   # weights stay exact

[[rule]]
kind = "first moment"
codec = "moments"
bits = 3

[[rule]]
kind = "second moment"
codec = "moments"
bits = 3
)"},
    ShippedProfile{
        "resume-small",
        R"(description = "lossy for training on: fine weights, moments by rows and columns"
mode = "quality"

[quantize]
codec = "levels"
step_scale = 0.25   # weights to be trained on have to be finer than those that are only used

[[rule]]
kind = "first moment"
codec = "moments"
bits = 0            # dropped: they come back within some ten steps

[[rule]]
kind = "second moment"
codec = "moments"
bits = 0            # by rows and columns alone
)"},
    ShippedProfile{"safe", R"(description = "lossy: fine steps; a change of full rank may be lost"
mode = "quality"

[target]
quality_loss = 0.1  # points of score, where an evaluator measures it

[quantize]
step_scale = 0.25   # 1: as coarse as transformers usually bear; of MiniLM and ResNet-56 nothing measured was lost
)"},
    ShippedProfile{"small", R"(description = "lossy: smallest; measure what it loses"
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
