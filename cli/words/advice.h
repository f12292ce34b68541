#pragma once

#include <string>
#include <string_view>

namespace strata::cli {

/// Which of a text's commands are meant.
enum class Commands {
  All,    ///< of a text of our own
  Quoted  ///< "strata verify": of a text that may hold names of others, too
};

/// A text with its commands put so that they mean the store that the user named:
/// `strata gc --yes` becomes `strata -C DIR gc --yes`. Commands that take no store, and those that
/// name their folder themselves, stay as they are. `folder` is empty where no store was named.
std::string withStore(std::string_view text, std::string_view folder, Commands commands);

}  // namespace strata::cli
