#pragma once

#include <memory>
#include <string>

#include "core/transfer/model_index.h"
#include "hub/huggingface/hf_api.h"

namespace strata::hub {

/// The models of the Hugging Face Hub, or of one organization there. What Strata pushed to is known
/// by the tag that its card sets.
class HfSearch final : public ModelIndex {
 public:
  /// `author`: an organization or user; empty: all.
  HfSearch(std::unique_ptr<HfApi> api, std::string author)
      : api_(std::move(api)), author_(std::move(author)) {}

  Result<std::vector<FoundModel>> find(const ModelQuery& query, std::stop_token stop) override;

 private:
  std::unique_ptr<HfApi> api_;
  std::string author_;
};

}  // namespace strata::hub
