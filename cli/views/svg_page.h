#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace strata::cli {

/// A white page of SVG that drawings are added to.
class SvgPage {
 public:
  SvgPage(double width, double height);

  /// Words at a place; `anchor` is "start", "middle" or "end".
  void label(double x, double y, std::string_view anchor, std::string_view words);
  /// An element as it stands.
  void add(std::string_view element) { text_ += element; }
  /// All of it. Once.
  std::string finish() { return std::move(text_ += "</svg>\n"); }

 private:
  std::string text_;
};

/// Text that stands in SVG.
std::string svgEscaped(std::string_view text);

}  // namespace strata::cli
