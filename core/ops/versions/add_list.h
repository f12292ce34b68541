#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/model_source.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/model_list.h"
#include "core/profile/quality_plan.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/transport.h"

namespace strata {

struct AddListOptions {
  /// What is to be stored, in this order: those of one worker (modelsOf), of a list that is sound
  /// (checkModelList).
  std::vector<ListedModel> models = {};
  /// What all of them have in common. Name and base are those of each line; a line without a base
  /// has the one that is asked for here.
  AddOptions add = {};
  std::optional<QualityPlan> plan = {};  ///< lossy; nothing: exact
  /// Where versions go; null: they stay here. A base that is not here comes from there.
  Transport* remote = nullptr;
  PushOptions push = {};  ///< how they go; `keptAs` has to name the remote
};

/// What became of one line of the list, or of a push.
struct AddListEvent {
  enum class Kind {
    Added,    ///< it is a version of the store: `added`
    There,    ///< the remote has it under its name: nothing was stored
    Failed,   ///< it could not be stored: `error`
    Pushed,   ///< `pushed` says what went
    Waiting,  ///< a push failed, and is tried again: `error`
  };
  Kind kind = Kind::Added;
  const ListedModel* model = nullptr;  ///< of a line
  const AddReport* added = nullptr;
  const PushReport* pushed = nullptr;
  const Error* error = nullptr;
};

struct AddListCalls {
  /// Opens the model or the base that a line names by a file or a URL. Must be there.
  std::function<Result<std::unique_ptr<ModelSource>>(const std::string& file)> open = {};
  /// Called after each `open`, also one that failed, once its model is not read any more: what was
  /// fetched for it may go. May be empty.
  std::function<void(const std::string& file)> onClosed = {};
  std::function<void(const AddListEvent&)> onEvent = {};  ///< may be empty
};

struct AddListReport {
  struct FailedLine {
    ListedModel model;
    Error error;
  };
  std::size_t stored = 0;  ///< new versions
  std::size_t known = 0;   ///< lines whose model the store had under their name
  std::size_t there = 0;   ///< lines whose model the remote had: they are not in the store
  std::vector<FailedLine> failed = {};
  std::size_t pushed = 0;         ///< versions that the remote lists since
  std::uint64_t pushedBytes = 0;  ///< of objects
  /// Versions that are here and did not go, and why; of a push that failed as a whole the remote.
  std::vector<FailedTransfer> unsent = {};
  double seconds = 0;

  bool isWhole() const noexcept { return failed.empty() && unsent.empty(); }
};

/// Stores the models of a list, each as the next version of its name, and pushes what it stored. A
/// line that fails does not stop the others. What the store or the remote has under that name, by
/// its bytes, is not stored again: a second run does what the first one left. Of a lossy version
/// only the store can tell that, after it was coded.
///
/// A push follows the first version, and then whenever storing has taken four times as long as the
/// push before: little is lost with a store that goes, and pushing takes a fifth of the time at
/// most. One that fails is tried again, the last time at the end.
///
/// Fails with what reading the remote's list fails with, before anything is stored, and with
/// Cancelled: what was stored stays, and the next run pushes it.
Result<AddListReport> addList(Store& store, const AddListOptions& options,
                              const AddListCalls& calls, std::stop_token stop,
                              const ProgressSink& progress);

}  // namespace strata
