#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/result.h"
#include "hub/open_transport.h"

namespace strata::hub {

/// A model of the hub on this disk.
struct FetchedModel {
  std::filesystem::path path;  ///< the file, or the folder with all files
  std::string url;             ///< "hf://org/repo@COMMIT/…": what was fetched, for good
  std::string license;         ///< as the repository's card says; may be empty
  std::uint64_t byteCount = 0;
};

/// No limit of what a model may take.
inline constexpr std::uint64_t kAnyBytes = std::numeric_limits<std::uint64_t>::max();

/// A file of such a model.
struct ModelFileOnHub {
  std::string path;
  std::uint64_t byteCount = 0;
};
/// What fetchModel() would fetch. Fails with NotFound, LoginRequired, CorruptData, Network,
/// Cancelled.
Result<std::vector<ModelFileOnHub>> listModelFiles(const RemoteConfig& remote,
                                                   const TransportOptions& options,
                                                   std::stop_token stop);

/// Fetches the file or all files that `hf://ORG/REPO[@REV][/PATH]` names into `folder`, which is
/// made; files whose names begin with a dot are left out. Each file is checked by its SHA-256, or
/// git's SHA-1 for small ones. An interrupted fetch goes on in the same folder.
/// Fails with NotFound, LoginRequired, NoSpace, CorruptData (also if the files have more than
/// `mostBytes`), Network, Cancelled.
Result<FetchedModel> fetchModel(const RemoteConfig& remote, const TransportOptions& options,
                                const std::filesystem::path& folder, unsigned parallel,
                                std::stop_token stop, const ProgressSink& progress,
                                std::uint64_t mostBytes = kAnyBytes);

}  // namespace strata::hub
