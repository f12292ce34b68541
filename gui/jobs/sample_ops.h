#pragma once

#include <QStringList>
#include <cstdint>

#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// Bytes of the sample's models.
std::uint64_t sampleBytes();

/// Adds a small base and fine-tunes of it, to try things on: real models of the project
/// (examples/README.md) that come with the program. Needs no network and no files beside it. Gives
/// the labels of the versions, the base first; a version that is there already is not added again.
OpJob<QStringList>* addSampleJob(const StorePtr& store);

}  // namespace strata::gui
