#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/ops/inspect/list_versions.h"

namespace strata {

/// The conditions of `list --filter`: `FIELD OPERATOR VALUE`, joined by ','.
class ListFilter {
 public:
  /// Fails with InvalidArgument, naming the condition and what is allowed.
  static Result<ListFilter> parse(std::string_view text);

  bool accepts(const ListRow& row) const;

  /// Whether it asks for a tag, which any version of a name may have.
  bool asksForTag() const noexcept { return asksForTag_; }

 private:
  bool asksForTag_ = false;
  std::vector<std::function<bool(const ListRow&)>> conditions_;
};

}  // namespace strata
