#pragma once

#include <QString>
#include <cstddef>
#include <vector>

#include "core/ops/exchange/pull_versions.h"
#include "core/ops/versions/add_version.h"
#include "gui/jobs/job.h"
#include "gui/jobs/remote_ops.h"
#include "gui/jobs/store_session.h"
#include "hub/huggingface/hf_model.h"

namespace strata::gui {

/// A repository of the Hugging Face Hub, or of a server like it, in a list of models.
struct HubModel {
  QString url;    ///< hf://ORG/REPO[@REV]
  QString place;  ///< where it was found: a remote's name or a URL; it may name another server
};

/// The model card of a repository as it was written.
struct ModelCard {
  QString markdown;  ///< README.md; empty where there is none
};
/// Most bytes of a card that is read.
inline constexpr std::size_t kMostCardBytes = std::size_t{256} * 1024;
/// Fails as HfApi's functions do, and with Unsupported for places that have no cards.
OpJob<ModelCard>* modelCardJob(const StorePtr& store, const HubModel& model);

/// The files of a plain model. Fails as hub::listModelFiles.
using ModelFiles = std::vector<hub::ModelFileOnHub>;
OpJob<ModelFiles>* modelFilesJob(const StorePtr& store, const HubModel& model);
/// The versions that a repository or another place lists. Fails as Transport's functions do.
OpJob<RemoteState>* modelVersionsJob(const StorePtr& store, const HubModel& model);

/// How a plain model of a hub is stored.
struct HubImport {
  QString name;
  BaseChoice baseChoice = BaseChoice::None;  ///< None: in full, as `strata import hf://…` does
  QString base = {};                         ///< of BaseChoice::Reference
};
/// Fetches a plain model and stores it: `strata import hf://… --name NAME`, or as an exact version:
/// `strata add NAME hf://… --exact`. What an interrupted fetch brought is kept for the next try.
OpJob<AddReport>* importHubModelJob(const StorePtr& store, const HubModel& model,
                                    const HubImport& how);

/// Fetches bases that a remote does not hold: those alone that the user has agreed to. Borrows the
/// store.
BaseFetcher baseFetcher(Store& store, const std::vector<BaseElsewhere>& agreed);

}  // namespace strata::gui
