#pragma once

#include <chrono>
#include <functional>
#include <string_view>

namespace strata::hub {

/// Told once before a transfer waits for other programs: what for ("others delete objects at …"),
/// and the longest it waits. Called from any thread. May be empty.
using WaitNotice = std::function<void(std::string_view reason, std::chrono::seconds longest)>;

}  // namespace strata::hub
