#pragma once

#include <cstdint>
#include <optional>
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

/// Names are 1 to 100 bytes of A-Z a-z 0-9 . _ - and of letters and signs beyond ASCII, in
/// Unicode's form NFC and none of them a space or unseen. '/' separates their words: "org/model".
/// No word is empty or starts with '.' or '-'. Fails with InvalidArgument, naming the rule.
Result<void> checkName(std::string_view name);

/// Names of remotes and profiles are one word of ASCII: what stands before the '/' of `REMOTE/REF`.
Result<void> checkPlainName(std::string_view name);

/// A name as a folder of the store, and as the first word of a remote's ref: '/' is "%2F".
std::string nameKey(std::string_view name);
/// The name that such a word stands for; nothing for a word that is none.
std::optional<std::string> nameOfKey(std::string_view key);

/// Tags follow the rule of plain names and do not look like a number (`v12`).
Result<void> checkTag(std::string_view tag);

/// Notes and other free texts are UTF-8 of at most 10,000 bytes. `what` names the text.
Result<void> checkText(std::string_view what, std::string_view text);

}  // namespace strata
