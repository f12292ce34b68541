#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/model_input.h"
#include "cli/words/arguments.h"
#include "core/ops/versions/add_list.h"

namespace strata::cli {

/// `add --from LIST --shard I/N --push REMOTE`: what one of many workers stores.
class ListAddition {
 public:
  void declare(Arguments& arguments);

  bool isAsked() const noexcept { return from_.has_value(); }
  /// The first option that was given and needs --from; empty: none.
  std::string_view idleOption() const;

  /// Reads the list, stores its models as `add` and `plan` say, and prints what came of each.
  Outcome run(Context& context, const FolderOptions& folder, const AddOptions& add,
              const std::optional<QualityPlan>& plan) const;

 private:
  std::optional<std::string> from_;
  std::optional<std::string> shard_;
  std::optional<std::string> remote_;
};

}  // namespace strata::cli
