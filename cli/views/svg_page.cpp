#include "cli/views/svg_page.h"

#include <fmt/format.h>

namespace strata::cli {

SvgPage::SvgPage(double width, double height)
    : text_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
          "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
          "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
          width, height)) {}

void SvgPage::label(double x, double y, std::string_view anchor, std::string_view words) {
  text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                       anchor, svgEscaped(words));
}

std::string svgEscaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace strata::cli
