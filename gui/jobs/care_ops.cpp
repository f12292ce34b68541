#include "gui/jobs/care_ops.h"

#include <QCoreApplication>

#include "gui/jobs/remote_ops.h"

namespace strata::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(strata::gui::CareOps)
};

using Stop = const std::stop_token&;
using Sink = const ProgressSink&;

}  // namespace

OpJob<GarbageReport>* garbageJob(const StorePtr& store, bool dryRun) {
  return new OpJob<GarbageReport>(Words::tr("Cleaning up"),
                                  Words::tr("The store could not be cleaned up"), store,
                                  [store, dryRun](Stop stop, Sink) {
                                    return collectGarbage(*store, {.dryRun = dryRun}, stop);
                                  });
}

OpJob<RepairReport>* repairJob(const StorePtr& store, const QString& remote) {
  return new OpJob<RepairReport>(Words::tr("Repairing from %1").arg(remote),
                                 Words::tr("Nothing could be repaired from %1").arg(remote), store,
                                 [store, remote](Stop stop, Sink sink) -> Result<RepairReport> {
                                   STRATA_TRY(const std::unique_ptr<Transport> from,
                                              openRemote(*store, remote));
                                   return repairStore(*store, *from, {}, stop, sink);
                                 });
}

}  // namespace strata::gui
