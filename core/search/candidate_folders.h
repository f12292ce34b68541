#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Folders that candidates of a model are written to for an evaluator, and used again and again: in
/// memory (/dev/shm) where they fit there, else where temporary files go. Removed at the end; those
/// of a process that was killed are removed by the next one. Safe to use from several threads.
class CandidateFolders {
 public:
  /// `count` folders for candidates of `model`. Fails with NoSpace or Io.
  static Result<CandidateFolders> make(const ModelDescription& model, std::size_t count);

  CandidateFolders(CandidateFolders&& other) noexcept;
  CandidateFolders& operator=(CandidateFolders&&) = delete;
  ~CandidateFolders();

  /// A folder that nobody else uses, waiting for one. Give it back.
  std::filesystem::path take();
  void give(std::filesystem::path folder);

 private:
  CandidateFolders(std::filesystem::path root, std::vector<std::filesystem::path> folders);

  std::filesystem::path root_;
  std::mutex mutex_;  // guards free_
  std::condition_variable returned_;
  std::vector<std::filesystem::path> free_;
};

/// What an evaluator is asked to score in a folder that holds the model's files: the one model
/// file, or the folder where there are several.
std::filesystem::path evaluatedPath(const ModelDescription& model,
                                    const std::filesystem::path& folder);

}  // namespace strata
