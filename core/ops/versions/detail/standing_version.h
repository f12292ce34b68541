#pragma once

#include <optional>

#include "core/archive/file_modes.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/detail/stored_content.h"
#include "core/store/catalog/catalog.h"

namespace strata {

/// What a name has of a model that is to be added.
struct StandingVersion {
  std::optional<VersionEntry> version;  ///< stands for the model: the name gets no new one
  bool hasOtherModes = false;           ///< the newest has the content, but other permission bits
};

/// Finds the version of a name that stands for a model already. Reads the catalog and manifests.
class StandingSearch {
 public:
  /// All are borrowed. `known` is what the store has of `content`, `modes` are the model's.
  StandingSearch(const Catalog& catalog, const AddOptions& options,
                 const StoredContentSurvey& survey, const StoredContent& known,
                 const Digest& content, const FileModes& modes)
      : catalog_(catalog),
        options_(options),
        survey_(survey),
        known_(known),
        content_(content),
        modes_(modes) {}

  /// The newest version of the name, if it has the content, or one that was damaged and is repaired
  /// by the model, for then that was asked for. For a new base any that has it in full. One with
  /// other permission bits stands for another model.
  Result<StandingVersion> find() const;

  /// For a new base: no version may have its name but one that has the model in full, or damaged.
  /// Fails with InvalidArgument.
  Result<void> checkNameIsFree() const;

 private:
  using Found = Result<std::optional<VersionEntry>>;

  Found base() const;
  Found anyOfName() const;
  Found mended() const;
  Result<bool> standsForModel(const std::optional<VersionEntry>& version) const;

  const Catalog& catalog_;
  const AddOptions& options_;
  const StoredContentSurvey& survey_;
  const StoredContent& known_;
  const Digest& content_;
  const FileModes& modes_;
};

}  // namespace strata
