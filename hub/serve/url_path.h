#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::hub {

/// Path and query of a request, decoded.
struct UrlPath {
  std::vector<std::string> segments;  ///< each decoded on its own, so one may hold a '/'
  std::vector<std::pair<std::string, std::string>> query;

  /// The first value of a query key; empty if there is none.
  std::string_view value(std::string_view key) const noexcept;
  /// The segments from `first` on, joined by '/'.
  std::string joined(std::size_t first) const;
};

/// Nothing if a percent code is broken or stands for a NUL.
std::optional<UrlPath> readUrlPath(std::string_view target);

/// The pairs of a query or of a form (application/x-www-form-urlencoded); nothing as above.
std::optional<std::vector<std::pair<std::string, std::string>>> readForm(std::string_view text);

}  // namespace strata::hub
