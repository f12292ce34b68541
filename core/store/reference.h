#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata {

/// A parsed reference to a stored version: `NAME`, `NAME:TAG`, `NAME:vN`, `NAME~N` or `@HASH`.
struct Reference {
  enum class Kind { Newest, Tag, Number, Back, Hash };
  Kind kind = Kind::Newest;
  std::string name;          ///< empty for Hash
  std::string tag;           ///< of Tag
  std::uint32_t number = 0;  ///< of Number: N; of Back: how many before the newest
  std::string hash;          ///< of Hash: 4 to 64 lower-case hexadecimal digits
};

/// Fails with InvalidArgument, naming the rule that `text` breaks.
Result<Reference> parseReference(std::string_view text);

/// Names are 1 to 100 of the characters A-Z a-z 0-9 . _ - and do not start with '.' or '-'.
/// Fails with InvalidArgument, naming the rule.
Result<void> checkName(std::string_view name);

/// Tags follow the rule of names and do not look like a number (`v12`).
Result<void> checkTag(std::string_view tag);

/// Notes and other free texts are UTF-8 of at most 10,000 bytes. `what` names the text.
Result<void> checkText(std::string_view what, std::string_view text);

}  // namespace strata
