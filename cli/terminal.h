#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text/printable.h"

namespace strata::cli {

/// A variable's value; empty where it is not set.
std::string environment(const char* name);

/// What one of the two streams can show.
struct Terminal {
  bool isTty = false;
  bool hasColour = false;
  std::size_t width = 0;  ///< columns; 0 where lines have no end
};

/// Looks at an open descriptor. `colour` is auto, always or never; with auto, NO_COLOR beats
/// CLICOLOR_FORCE and TERM=dumb has none.
Terminal inspectTerminal(int descriptor, std::string_view colour);

/// Columns that a printable text takes: one for each code point.
std::size_t columnsOf(std::string_view text) noexcept;

/// Shortens a text in its middle: "layer.5...weight".
std::string elided(std::string_view text, std::size_t columns);

/// Colours mark what words say anyway.
enum class Tint { Error, Warning, Good, Strong, Faint };
std::string tinted(const Terminal& terminal, Tint tint, std::string_view text);

}  // namespace strata::cli
