#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ops/inspect/detail/model_view.h"

namespace strata {

/// The tensors of a model by their names.
class TensorLookup {
 public:
  /// `view` must outlive the lookup.
  explicit TensorLookup(const ModelView& view);

  /// Of "FILE:NAME", too. Fails with NotFound if no tensor has exactly this name, which names the
  /// nearest one, and with InvalidArgument if several files have one.
  Result<const ViewedTensor*> find(const std::string& name) const;

 private:
  const ViewedTensor* findInFile(const std::string& name) const;

  const ModelView& view_;
  std::unordered_multimap<std::string_view, const ViewedTensor*> tensors_;
};

}  // namespace strata
