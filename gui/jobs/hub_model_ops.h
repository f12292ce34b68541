#pragma once

#include <QString>
#include <cstddef>

#include "core/ops/add_version.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

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
inline constexpr std::size_t kMostCardBytes = 256 * 1024;
/// Fails as HfApi's functions do, and with Unsupported for places that have no cards.
OpJob<ModelCard>* modelCardJob(StorePtr store, const HubModel& model);

/// Fetches a plain model and stores it in full under a name: `strata import hf://… --name NAME`.
/// What an interrupted fetch brought is kept for the next try.
OpJob<AddReport>* importHubModelJob(StorePtr store, const HubModel& model, const QString& name);

}  // namespace strata::gui
