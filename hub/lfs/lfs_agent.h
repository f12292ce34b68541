#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string>

#include "core/model/model_source.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/transport.h"

namespace strata::hub {

struct LfsAgentOptions {
  /// Opens a file as a model; what it fails on is stored as bytes.
  std::function<Result<std::unique_ptr<ModelSource>>(const std::filesystem::path&)> openModel;
  Transport* remote = nullptr;  ///< where versions go on to and come from; null: the store only
  std::string remoteName{};     ///< of it, or its URL: as PushOptions::keptAs
  BaseFetcher fetchBase{};      ///< for bases that `remote` does not hold; as PullOptions has it
  std::uint64_t memoryBytes = 512'000'000;
  unsigned parallel = 4;                    ///< transfers at once with `remote`
  std::filesystem::path temporaryFolder{};  ///< restored files are handed over from here
};

/// A git-lfs custom transfer agent: objects that git-lfs sends become versions `lfs-<oid>`, exact
/// and as differences to what is alike in the store; objects that it wants are restored. Speaks
/// the protocol's JSON lines, one request at a time, until "terminate" or the end of `in`. What
/// goes wrong with one object is answered and does not end the agent.
///
/// An oid is the SHA-256 of its file, and both ways the agent holds the bytes to that: a file with
/// another SHA-256 or size is not stored, and a version with other bytes is not given out. An
/// upload moves such a version to the trash, once the right one is stored.
///
/// Fails with InvalidArgument (a line that is not of the protocol), Cancelled.
Result<void> runLfsAgent(Store& store, const LfsAgentOptions& options, std::istream& in,
                         std::ostream& out, const std::stop_token& stop);

/// Where git-lfs can rename files from: `lfs/tmp` in the git folder of `workFolder`. Made if it is
/// missing. Fails with NotFound if there is no repository, Io.
Result<std::filesystem::path> lfsTemporaryFolder(const std::filesystem::path& workFolder,
                                                 const std::string& gitDir);

}  // namespace strata::hub
