#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/model/model_source.h"
#include "core/ops/versions/add_version.h"
#include "core/store/catalog/catalog.h"

namespace strata {

/// What a new version is to be a difference to.
struct ParentChoice {
  std::optional<VersionEntry> parent;  ///< nothing: it becomes a base
  bool wasChosen = false;              ///< found among all versions, not named by the caller
};

/// Parents that are found for one model at most, one after the other.
inline constexpr std::size_t kMostFound = 2;

/// Decides by names and signatures alone; opens no stored model. `signature` is the model's own.
/// `content` is the model's content digest if that is stored, but damaged: no version that is
/// rebuilt through it becomes the parent. `useless` are contents that were found and turned out to
/// share nothing with the model: the next best one is found, and after kMostFound none.
/// Fails with NotFound or InvalidArgument (the base asked for), CorruptData.
Result<ParentChoice> chooseParent(const Catalog& catalog, const AddOptions& options,
                                  const std::string& signature,
                                  const std::optional<Digest>& content,
                                  std::span<const Digest> useless = {});

}  // namespace strata
