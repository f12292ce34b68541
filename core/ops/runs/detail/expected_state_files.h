#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// Which files of the optimizer and of ranks a watched run's checkpoints have, by the snapshot that
/// was stored last. One that lacks some may be half written or half deleted. Two in a row that lack
/// the same ranks are no accident: the training goes on with fewer.
class ExpectedStateFiles {
 public:
  explicit ExpectedStateFiles(const Store& store) : store_(store) {}

  struct Lack {
    std::string file;
    std::string version;        ///< that has it
    bool mayBeDropped = false;  ///< it is of a rank, and the training may go on with fewer
  };
  /// What the checkpoint at `place` lacks; nothing where it may be taken. In its `listedShards` no
  /// rank is lacking.
  Result<std::optional<Lack>> lackOf(const std::string& run, const std::string& place,
                                     const ModelDescription& model,
                                     const std::set<std::string>& listedShards);

  /// The places that lacked what counts for nothing any more, since this was asked last.
  std::vector<std::string> takeAccepted();

 private:
  const Store& store_;
  std::map<std::string, std::vector<std::string>> lacking_;  ///< places by the ranks they lack
  std::vector<std::string> accepted_;
};

}  // namespace strata
