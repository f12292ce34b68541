#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace strata::cli {
namespace {

bool wantsColour(bool isTty, std::string_view wish) {
  if (wish == "always") return true;
  if (wish == "never" || !environment("NO_COLOR").empty()) return false;
  const std::string forced = environment("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return isTty && environment("TERM") != "dumb";
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

Terminal inspectTerminal(int descriptor, std::string_view colour) {
  Terminal terminal;
  terminal.isTty = ::isatty(descriptor) == 1;
  terminal.hasColour = wantsColour(terminal.isTty, colour);
  if (!terminal.isTty) return terminal;
  terminal.width = 80;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.width = size.ws_col;
  return terminal;
}

std::size_t columnsOf(std::string_view text) noexcept {
  std::size_t columns = 0;
  for (const char letter : text) {
    if ((static_cast<unsigned char>(letter) & 0xc0) != 0x80) ++columns;
  }
  return columns;
}

std::string elided(std::string_view text, std::size_t columns) {
  constexpr std::string_view kDots = "...";
  if (columnsOf(text) <= columns || columns <= kDots.size() + 1) return std::string(text);
  std::string head;
  std::string tail;
  const std::size_t all = columnsOf(text);
  const std::size_t headColumns = (columns - kDots.size()) / 2;
  const std::size_t tailColumns = columns - kDots.size() - headColumns;
  std::size_t seen = 0;
  for (const char letter : text) {
    if ((static_cast<unsigned char>(letter) & 0xc0) != 0x80) ++seen;
    if (seen <= headColumns) head += letter;
    if (seen > all - tailColumns) tail += letter;
  }
  return head + std::string(kDots) + tail;
}

std::string tinted(const Terminal& terminal, Tint tint, std::string_view text) {
  if (!terminal.hasColour) return std::string(text);
  static constexpr std::array<std::string_view, 5> kCodes{"1;31", "33", "32", "1", "2"};
  return "\x1b[" + std::string(kCodes[static_cast<std::size_t>(tint)]) + "m" + std::string(text) +
         "\x1b[0m";
}

}  // namespace strata::cli
