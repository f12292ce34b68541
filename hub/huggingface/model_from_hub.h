#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/io/folder_lock.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/transfer/base_elsewhere.h"
#include "hub/huggingface/hf_model.h"

namespace strata::hub {

/// A plain model of the hub, or a file of the web, on its way into a store: its files lie in
/// STORE/partial, locked, until it is stored. Move-only. What an interrupted fetch brought stays
/// for the next try.
class ModelFromHub {
 public:
  /// Fails as fetchModel() or fetchWebModel(); StoreLocked or Io where another program fetches it.
  static Result<ModelFromHub> fetch(const std::filesystem::path& storeFolder,
                                    const RemoteConfig& remote, const TransportOptions& options,
                                    std::stop_token stop, const ProgressSink& progress,
                                    std::uint64_t mostBytes = kAnyBytes);
  /// The same for a base that a remote names. The remote may be anybody's: no more comes than it
  /// says, and nothing but a plain model's place is asked (isFetchable).
  static Result<ModelFromHub> fetch(const std::filesystem::path& storeFolder,
                                    const BaseElsewhere& base, const TransportOptions& options,
                                    std::stop_token stop, const ProgressSink& progress);

  /// The file, or the folder with all files.
  std::string path() const { return model_.path.string(); }

  /// Fills in where it comes from and its license, as far as nothing else was said.
  void describe(std::string& sourceUrl, std::string& license) const;

  /// The store has it: the files go.
  void drop();

 private:
  ModelFromHub(std::filesystem::path folder, FolderLock lock, FetchedModel model)
      : folder_(std::move(folder)), lock_(std::move(lock)), model_(std::move(model)) {}

  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
  FetchedModel model_;
};

}  // namespace strata::hub
