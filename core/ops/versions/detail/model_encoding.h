#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/version_writer.h"
#include "core/model/model_source.h"
#include "core/ops/detail/parent_choice.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/detail/stored_content.h"
#include "core/progress.h"
#include "core/quantize/quantizer.h"
#include "core/store/objects/staged_objects.h"
#include "core/store/store.h"

namespace strata {

/// What a model became, coded against a parent that was chosen for it. It is listed nowhere yet.
struct EncodedModel {
  WriteReport written;
  std::string signature;                  ///< the model's
  std::optional<Digest> parentContent;    ///< of what it is coded against
  std::unique_ptr<StagedObjects> staged;  ///< null in a dry run
  bool baseWasChosen = false;             ///< these six: see AddReport
  std::string unlikeBase;
  std::string damagedParent;
  std::string parentPull;  ///< what brings it, where it was pulled without its packs
  std::optional<BaseMisfit> misfit;
  std::optional<std::uint64_t> exactBytes;
};

/// Fails with CorruptData where `content` is other than the caller of `add` knows the model to
/// have: nothing of that is listed.
Result<void> checkContent(const AddOptions& options, const Digest& content);

/// Chooses a parent for a model and codes it against that, without the store's lock. Borrows all
/// that it is given.
class ModelEncoding {
 public:
  /// `known`: what the store has of the content, which is `content` where it needs repair.
  ModelEncoding(Store& store, const ModelSource& model, const AddOptions& options,
                StoredContentSurvey& survey, const StoredContent& known, const Digest& content)
      : store_(store),
        model_(model),
        options_(options),
        survey_(survey),
        known_(known),
        content_(content) {}

  /// Called once. Fails as chooseParent, writeVersion and checkContent do, with NoSpace, or with
  /// what `options.accept` says.
  Result<EncodedModel> run(const std::stop_token& stop, const ProgressSink& progress);

 private:
  Result<ParentChoice> parentFor(const std::stop_token& stop, const ProgressSink& progress);
  Result<ParentChoice> soundFor() const;
  /// After encodeAgainst() failed: whether another parent may do, because this one is damaged.
  Result<bool> passBy(const ParentChoice& choice, const Error& error, const std::stop_token& stop,
                      const ProgressSink& progress);
  Result<void> encodeAgainst(const ParentChoice& choice, const std::stop_token& stop,
                             const ProgressSink& progress);
  Result<WriteOptions> writeOptions();
  Result<void> encodeUnlike(const ParentChoice& choice, const std::stop_token& stop,
                            const ProgressSink& progress);
  Result<void> finish(const ParentChoice& choice, const std::stop_token& stop,
                      const ProgressSink& progress);
  Result<void> checkSpace(bool hasParent) const;

  Store& store_;
  const ModelSource& model_;
  const AddOptions& options_;
  StoredContentSurvey& survey_;
  const StoredContent& known_;
  const Digest& content_;
  std::shared_ptr<const VersionReader> parent_;
  std::unique_ptr<Quantizer> quantizer_;  ///< owns the plan that write options point at
  EncodedModel encoded_;
  std::vector<Digest> useless_;    ///< parents that were found and are none
  unsigned timesPassedByOwn_ = 0;  ///< parents of its name, or by that of its base: passBy()
};

}  // namespace strata
