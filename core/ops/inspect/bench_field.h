#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/evaluate/evaluator.h"
#include "core/evaluate/score_change.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// What one system makes of the model.
struct FieldRow {
  std::string system;  ///< "LC-Checkpoint"
  std::string source;  ///< the paper, or "Strata"
  std::string method;  ///< "exponent buckets, 3 bits"
  bool isOurs = false;
  bool lossy = false;
  std::uint64_t storedBytes = 0;  ///< all that lies on the disk: packs and manifests
  std::uint64_t weightBytes = 0;  ///< of that the sections of weights, without an optimizer's state
  double addSeconds = 0;          ///< whole commands, with all checks
  double restoreSeconds = 0;
  std::optional<double> relativeError = {};  ///< see AddReport; lossy ones alone
  std::optional<ScoreChange> score = {};     ///< where there is an evaluator; lossy ones alone
  std::string problem = {};                  ///< why there is none of this
};

struct FieldOptions {
  std::filesystem::path modelPath = {};  ///< for the evaluator
  /// Of a training run: the checkpoints before the model, in their order. All are stored, each as a
  /// difference to the one before; the model is the newest, which is restored and scored.
  std::vector<const ModelSource*> before = {};
  /// What the model was tuned from: a file or folder, or else a reference in `store`.
  std::filesystem::path baseFile = {};
  std::string baseReference = {};
  const Store* store = nullptr;      ///< for a reference; borrowed
  std::filesystem::path place = {};  ///< of scratch files; empty: memory, if they fit
  std::optional<EvaluatorOptions> evaluator = {};
  std::uint64_t memoryBytes = 512'000'000;
  Device* device = nullptr;  ///< borrowed
  ModelOpener open = {};
  std::function<void(const FieldRow&)> onRow = {};  ///< told as soon as a row is known
};

struct FieldReport {
  std::uint64_t originalBytes = 0;  ///< of all that is stored
  std::uint64_t restoredBytes = 0;  ///< of the model
  std::uint64_t weightBytes = 0;    ///< of `originalBytes` without an optimizer's state
  std::size_t checkpoints = 1;
  std::uint64_t baseBytes = 0;  ///< what the base takes in a store, once for all
  std::size_t threads = 0;
  std::optional<Evaluation> reference = {};  ///< of the model as it is
  std::vector<FieldRow> rows = {};
};

/// Stores `model` with each published system that Strata has, and with its own choices, as a
/// difference to its base in a store of its own that is removed at the end; restores it, and scores
/// what came back. Exact versions are compared with the model byte for byte by the restore.
///
/// Systems of others are their methods and settings, coded by Strata's own entropy coders where
/// these are no part of the method, so that methods are compared. A system that cannot take the
/// model says so in its row. Fails with InvalidArgument, NotFound, NoSpace, Evaluator, Cancelled,
/// and as importBase() does.
Result<FieldReport> benchField(const ModelSource& model, const FieldOptions& options,
                               const std::stop_token& stop, const ProgressSink& progress);

}  // namespace strata
