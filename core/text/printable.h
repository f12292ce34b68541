#pragma once

#include <string>
#include <string_view>

namespace strata {

/// What happens to line feeds and tabs.
enum class Lines { Replaced, Kept };

/// A text from outside as people may see it, in a terminal or a window: nothing in it moves the
/// cursor, turns the order of letters around, or cannot be seen. Control characters and broken
/// UTF-8 (surrogates, too) become "?"; characters that show nothing of themselves become their
/// number:
/// "<U+202E>". For showing only: a name that was changed so no longer names its file.
std::string printable(std::string_view text, Lines lines = Lines::Replaced);

}  // namespace strata
