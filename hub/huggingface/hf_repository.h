#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::hub {

/// What `hf://ORG/REPO[@REV][/PATH]` names.
struct HfRepository {
  std::string id;                 ///< "acme/models"
  std::string revision = "main";  ///< a branch, tag or commit
  std::string path = {};          ///< of a file; empty: the whole repository

  /// Fails with InvalidArgument, naming the rule that the URL breaks.
  static Result<HfRepository> parse(std::string_view url);

  /// "/api/models/acme/models".
  std::string apiPath() const;
  /// "/acme/models/resolve/REVISION/PATH", encoded.
  std::string resolvePath(std::string_view at, std::string_view file) const;
};

/// "acme/base" where a base came from the hub, by its hf:// URL or web page; empty else.
std::string hubModelOf(const std::string& sourceUrl);

/// Whether a path that a server gave may become one of ours: relative, no "..", no empty word, no
/// backslash, drive letter or control character.
bool isSafePath(std::string_view path) noexcept;

}  // namespace strata::hub
