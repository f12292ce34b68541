#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/digest.h"

namespace strata {

/// A base that a remote does not hold, and where it lies as a plain model. Who receives differences
/// to it fetches it there. docs/FORMAT.md, "Remotes". Comes from outside: the URL is asked
/// only after the user agreed, and what comes counts only with this content.
struct BaseElsewhere {
  Digest contentDigest;
  std::string name;             ///< what the pusher calls it: "base"
  std::string url;              ///< see isFetchable()
  std::string file;             ///< of a model of one file, its name; else empty
  std::uint64_t byteCount = 0;  ///< of its files

  friend bool operator==(const BaseElsewhere&, const BaseElsewhere&) = default;
};

/// Whether a plain model can be fetched by a URL: `hf://ORG/REPO…` or `https://…`, without a
/// password, and `http://` of this machine alone.
bool isFetchable(std::string_view url) noexcept;

/// `"base" (90.3 MB, content 7c1f9e02) at hf://org/base@…`.
std::string placeText(const BaseElsewhere& base);

}  // namespace strata
