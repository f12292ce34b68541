#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::hub {

/// The texts between `<tag>` and `</tag>` in an answer of an object store, in their order. Its
/// documents have no attributes on these elements and no element within one of the same name.
/// Bounded by the document, which the HTTP client has bounded.
std::vector<std::string_view> xmlElements(std::string_view document, std::string_view tag);

/// The first of them with its entities (&amp; &quot; …) replaced; empty if there is none.
std::string xmlText(std::string_view document, std::string_view tag);

}  // namespace strata::hub
