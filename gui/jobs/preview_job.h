#pragma once

#include <memory>

#include "core/ops/quantize/estimate_settings.h"
#include "gui/jobs/tune_job.h"

namespace strata::gui {

/// A model and what it is a difference to, open from one preview to the next: comparing all their
/// weights takes longer than a preview does. Jobs on any thread share it.
class PreviewSource;
using PreviewSourcePtr = std::shared_ptr<const PreviewSource>;

/// What settings are likely to give.
struct Preview {
  PreviewSourcePtr source;  ///< for the next preview
  EstimateReport report;
  QuantizeSettings settings;
};

/// Judges the settings of `request`, whose target and evaluator do not matter, from a sample of the
/// model. `source` is that of the preview before, or null; where it is of another model, or the
/// file has changed since, a new one is opened.
OpJob<Preview>* previewJob(const StorePtr& store, const TuneRequest& request,
                           PreviewSourcePtr source);

}  // namespace strata::gui
