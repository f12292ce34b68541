#pragma once

#include <string>

#include "core/transfer/remote_library.h"

namespace strata::hub {

/// README.md of a repository on the Hugging Face Hub: metadata that makes the hub show the lineage
/// (base_model, base_model_relation: finetune, license), and a table of versions for people.
/// `repository` is its id; `plain` the version whose plain files stand beside the card, empty:
/// none.
std::string modelCard(const RemoteLibrary& library, const std::string& repository,
                      const std::string& plain);

}  // namespace strata::hub
