#include "core/ops/inspect/restore_tensors.h"

#include "core/ops/inspect/opened_version.h"
#include "core/progress_meter.h"

namespace strata {

Result<RestoreTensorsReport> restoreTensors(const Store& store,
                                            const RestoreTensorsOptions& options,
                                            std::stop_token stop, const ProgressSink& progress) {
  const Stopwatch watch;
  STRATA_TRY(const auto opened, OpenedVersion::open(store, options.reference));
  STRATA_TRY(RestoreTensorsReport report,
             opened->restore(options.tensors, options.device, stop, progress));
  report.seconds = watch.seconds();
  return report;
}

}  // namespace strata
