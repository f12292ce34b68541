#include "core/profile/shipped_profiles.h"

#include <array>

namespace strata {
namespace {

constexpr std::array kShipped{
    ShippedProfile{"balanced",
                   "description = \"lossy: small, with hardly any loss of quality\"\n"
                   "mode = \"quality\"\n"
                   "\n"
                   "[target]\n"
                   "quality_loss = 0.5  # points\n"},
    ShippedProfile{"exact",
                   "description = \"comes back byte for byte\"\n"
                   "mode = \"exact\"\n"},
    ShippedProfile{"safe",
                   "description = \"lossy: no loss that an evaluator can measure\"\n"
                   "mode = \"quality\"\n"
                   "\n"
                   "[target]\n"
                   "quality_loss = 0.1  # points\n"},
    ShippedProfile{"small",
                   "description = \"lossy: as small as is of use\"\n"
                   "mode = \"quality\"\n"
                   "\n"
                   "[target]\n"
                   "quality_loss = 1.5  # points\n"},
};

}  // namespace

std::span<const ShippedProfile> shippedProfiles() noexcept { return kShipped; }

}  // namespace strata
