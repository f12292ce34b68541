#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/transfer/transport.h"
#include "hub/huggingface/hf_api.h"
#include "hub/huggingface/lfs_upload.h"

namespace strata::hub {

/// The plain files of a repository: those of one version, restored, where other tools look for
/// them. `strata/plain.json` says which they are:
/// `{"files":[[PATH,BYTES,SHA-256],…],"format":1,"version":"sst2:v2"}`.
///
/// A file of that name that is not listed there and has other content is somebody else's and is
/// never replaced. Safe to use from several threads.
class HfPlain {
 public:
  HfPlain(HfApi& api, LfsUpload& upload) : api_(api), upload_(upload) {}

  /// As Transport::planPlain.
  Result<PlainPlan> plan(const PlainSet& wanted, const std::stop_token& stop);
  /// As Transport::putPlain: to LFS, or kept for the commit where the server wants it as a regular
  /// file.
  Result<void> put(const PlainFile& file, const ObjectSource& source, const std::stop_token& stop,
                   const TransferMeter& meter);
  /// The lines of a commit on `commit` that bring `wanted` in and take out what stood there.
  Result<void> addTo(std::vector<HfCommitFile>& files, const PlainSet& wanted,
                     const std::string& commit, const std::stop_token& stop);

 private:
  Result<std::optional<PlainSet>> standing(const std::string& commit, const std::stop_token& stop);

  HfApi& api_;
  LfsUpload& upload_;
  std::mutex mutex_;  // guards put_
  /// What was put, by path: the content of a regular file, nothing for one in LFS.
  std::map<std::string, std::optional<std::string>> put_ = {};
};

/// `before`, a text of .gitattributes, with a line for each path that git shall keep in LFS.
std::string withLfsPaths(std::string before, const std::vector<std::string>& paths);

}  // namespace strata::hub
