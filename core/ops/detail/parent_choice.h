#pragma once

#include <optional>
#include <string>

#include "core/model/model_source.h"
#include "core/ops/add_version.h"
#include "core/store/catalog.h"

namespace strata {

/// What a new version is to be a difference to.
struct ParentChoice {
  std::optional<VersionEntry> parent;  ///< nothing: it becomes a base
  bool wasChosen = false;              ///< found among all versions, not named by the caller
};

/// Decides by names and signatures alone; opens no stored model. `signature` is the model's own.
/// `content` is the model's content digest if that is stored, but damaged: no version that is
/// rebuilt through it becomes the parent.
/// Fails with NotFound or InvalidArgument (the base asked for), CorruptData.
Result<ParentChoice> chooseParent(const Catalog& catalog, const AddOptions& options,
                                  const std::string& signature,
                                  const std::optional<Digest>& content);

}  // namespace strata
