#pragma once

#include <QString>
#include <QStringList>
#include <memory>

#include "core/ops/quantize/tune_model.h"
#include "gui/jobs/job.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// What settings are looked for, or what one set of settings is measured on.
struct TuneRequest {
  QString path;       ///< the model
  QString base;       ///< a reference; empty: what the store finds
  QString profile;    ///< where to begin
  QString target;     ///< "size=20MB"; empty: the settings are measured as they are
  QString evaluator;  ///< a command; empty: no quality is measured
  unsigned trials = kUsualTrials;
  /// Changes to the profile's settings; nothing: as they are.
  std::optional<double> stepScale = {};
  QuantizeRule rule = {};
  bool hasRule = false;
  QStringList protect = {};  ///< globs of tensors that are kept exactly
  /// The profile that the settings are to be saved as: sizes count its name. Empty: "custom".
  QString saveAs = {};
};

/// The profile of a request with its changes, and its target. Fails with NotFound, and with
/// InvalidArgument also where a change has no effect on that profile.
Result<QualityPlan> planOf(const TuneRequest& request);
/// Fails with InvalidArgument where a tensor is to be kept that `model` does not have.
Result<void> checkProtected(const TuneRequest& request, const ModelDescription& model);
/// What the request's model is a difference to, within which memory. Fails as Config::load().
Result<TuneOptions> tuneOptions(const Store& store, const TuneRequest& request);

/// The search for settings, which tells of each trial. Nothing is written to the store.
class TuneJob final : public Job {
  Q_OBJECT

 public:
  TuneJob(StorePtr store, const TuneRequest& request, QObject* parent = nullptr);

  /// After finished() only.
  const TuneReport& report() const;
  /// What was searched with, as report() needs it to be saved as a profile.
  const QualityPlan& plan() const;

 signals:
  void tried(const strata::Trial& trial);

 private:
  struct Run;
  static Result<void> tune(Run& run, const std::stop_token& stop);
  TuneJob(std::shared_ptr<Run> run, const QString& title, QObject* parent);

  std::shared_ptr<Run> run_;
};

}  // namespace strata::gui

Q_DECLARE_METATYPE(strata::Trial)
