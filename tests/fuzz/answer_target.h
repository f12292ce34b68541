#pragma once

#include <string_view>

namespace strata::test {

/// Takes hostile text as what a server or a client says over the network; the first byte chooses
/// what it is read as: a list of refs, a ref, an XML answer, a challenge, a URL, a redirect, a
/// range, a tar header. False where a reader breaks its promise.
bool readsAnswer(std::string_view text);

}  // namespace strata::test
