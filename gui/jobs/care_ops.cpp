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

OpJob<MendReport>* mendJob(const StorePtr& store) {
  return new OpJob<MendReport>(
      Words::tr("Repairing"), Words::tr("The store could not be repaired"), store,
      [store](Stop stop, Sink sink) -> Result<MendReport> {
        MendReport report;
        STRATA_TRY(report.here, repairHere(*store, stop, sink));
        STRATA_TRY(report.after,
                   verifyStore(*store, {.level = VerifyOptions::Level::Full}, stop, sink));
        return report;
      });
}

OpJob<TrustReview>* trustJob(const QString& folder) {
  return new OpJob<TrustReview>(Words::tr("Reading what the store says"),
                                Words::tr("What the store says could not be read"),
                                [folder](Stop, Sink) { return reviewTrust(folder.toStdString()); });
}

OpJob<TrustReview>* confirmTrustJob(const TrustReview& review) {
  return new OpJob<TrustReview>(Words::tr("Confirming what the store says"),
                                Words::tr("What the store says could not be confirmed"),
                                [review](Stop, Sink) -> Result<TrustReview> {
                                  STRATA_TRY(confirmTrust(review));
                                  return reviewTrust(review.folder);
                                });
}

}  // namespace strata::gui
