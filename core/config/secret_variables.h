#pragma once

#include <string_view>

namespace strata {

/// Whether an entry of an environment, "HF_TOKEN=hf_…", holds a secret that Strata knows: tokens
/// and keys of remotes, where keys can be asked for, and a proxy's password. The one list of these
/// variables: a crash leaves no core while there is one, and a program that scores models gets none
/// of them.
bool holdsSecret(std::string_view entry) noexcept;

}  // namespace strata
