#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/result.h"

namespace strata {

/// What may be a checkpoint in a folder that a trainer writes to.
struct CheckpointPlace {
  std::filesystem::path path;  ///< of several files the first one that is no training state
  std::optional<std::uint64_t> step = {};  ///< as its trainer says, else its name
  /// Sizes, times and numbers of its files, as a text: another one where something changed.
  std::string stamp = {};
  /// Of a checkpoint that is several files of one number, "model_20.pt" and "optimizer_20.pt":
  /// all of them. Else empty.
  std::vector<std::filesystem::path> files = {};
};

/// Looks through a folder again and again.
class CheckpointScan {
 public:
  /// `tools` live longer; they find the steps of files whose names say none, as "last.ckpt". Null:
  /// those have none.
  explicit CheckpointScan(std::filesystem::path folder, const CheckpointTools* tools = nullptr)
      : folder_(std::move(folder)), tools_(tools) {}

  /// The folders and files of it that may be checkpoints, in the order of their steps; those
  /// without one by the numbers in their names. Folders need a number in their names, and so do
  /// files but `.ckpt`, `last.pt` and `latest.pt`: a model that the trainer saves beside its
  /// checkpoints is none. Stores and remotes are none either. Fails with NotFound or Io.
  Result<std::vector<CheckpointPlace>> look();

 private:
  std::optional<std::uint64_t> stepOf(const CheckpointPlace& place);
  std::optional<std::uint64_t> stepInFile(const CheckpointPlace& place) const;

  std::filesystem::path folder_;
  const CheckpointTools* tools_;
  /// Steps that trainers said, with the stamps of the places that said so.
  std::map<std::string, std::pair<std::string, std::optional<std::uint64_t>>> steps_;
};

/// As CheckpointPlace::stamp. That other names of the files come and go changes nothing.
std::string stampOf(const std::filesystem::path& place);

/// The same of several files.
std::string stampOf(const std::vector<std::filesystem::path>& files);

}  // namespace strata
