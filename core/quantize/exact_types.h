#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "core/model/element_type.h"

namespace strata {

/// Whether any settings quantize tensors of this type.
bool canQuantize(ElementType type) noexcept;

/// Tensors that stay exact under all settings, because of what their types are.
struct ExactTypes {
  std::size_t tensorCount = 0;
  std::set<std::string> names = {};  ///< of the types: "bool", "i64"

  /// Counts a tensor if it is one of them.
  void add(ElementType type);
};

}  // namespace strata
