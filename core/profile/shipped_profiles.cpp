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
    ShippedProfile{"check-n-run",
                   R"(description = "lossy, as Check-N-Run: each row in 16 even steps of its own"
mode = "quality"

[quantize]
codec = "rows"      # NSDI 2022; rows that are as in the version before take next to nothing
bits = 4            # 2, 3, 4 or 8 there, by how often a run is resumed; moments stay exact
)"},
    ShippedProfile{"delta-dnn",
                   R"(description = "lossy, as Delta-DNN: each weight within 0.001"
mode = "quality"

[quantize]
codec = "bounded"   # ICPP 2020: differences to the version before, within a bound, then coded
max_error = 0.001   # what an optimizer keeps stays exact
)"},
    ShippedProfile{"exact", R"(description = "comes back byte for byte"
mode = "exact"
)"},
    ShippedProfile{"excp",
                   R"(description = "lossy, as ExCP: weights and moments pruned together, 15 levels"
mode = "quality"

[quantize]
codec = "levels"    # ICML 2024, arXiv 2406.11257: of the changes of weights, and of moments
levels = 15
prune_alpha = 5e-5  # changes up to this / root of the mean second moment, at most 2.5, medians go
rank = 0
gain = 0

[[rule]]
kind = "first moment"
codec = "levels"
levels = 15
prune_beta = 2      # those up to twice the mean go, and those of weights whose change went

[[rule]]
kind = "second moment"
codec = "levels"
levels = 15         # where the first one goes it goes, too
)"},
    ShippedProfile{
        "inshrinkerator",
        R"(description = "lossy, as Inshrinkerator: levels of weights, searched with an evaluator"
mode = "quality"

[target]
quality_loss = 5    # points of score, where an evaluator measures it; the paper's epsilon

[quantize]
codec = "index"     # arXiv 2306.11800; what an optimizer keeps stays exact
levels = 16
prune = 0.2
protect = 0.0005

[search]
method = "guided"   # along a run: near the settings of the snapshot before, then the whole grid
)"},
    ShippedProfile{
        "lc-checkpoint",
        R"(description = "lossy, as LC-Checkpoint: changes of weights by exponent, 3 bits"
mode = "quality"

[quantize]
codec = "exponent"  # arXiv 2009.13003; what an optimizer keeps stays exact, as there
bits = 3            # the 7 buckets of largest exponents; what is smaller waits for a later snapshot
)"},
    ShippedProfile{"qd-compressor",
                   R"(description = "lossy, as QD-Compressor: 32 even levels of weights"
mode = "quality"

[quantize]
codec = "index"     # ICCD 2021: weights become levels, then levels are differenced
levels = 32
spacing = "even"    # what an optimizer keeps stays exact
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
