#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "hub/huggingface/model_from_hub.h"

namespace strata::cli {

/// Which files of a folder belong to the model.
struct FolderOptions {
  bool followLinks = false;
  std::vector<std::string> exclude = {};  ///< patterns, as in `.strataignore`
};

/// A model that a command stores: a file, a folder, what a URL names, or what comes on stdin. What
/// is not a file here yet lies in STORE/partial until it is stored.
class ModelInput {
 public:
  /// `word` is a path, a URL or kStdin. Says on stderr what is read.
  static Attempt<ModelInput> open(Context& context, const Store& store, const std::string& word,
                                  const FolderOptions& options);

  const ModelSource& model() const noexcept { return *model_; }
  /// Where it lies here.
  const std::string& path() const noexcept { return path_; }

  /// Fills in where it comes from and its license, as far as nothing else was said. What was
  /// fetched and not stored whole has no source: fetched again, it would be another model.
  void describe(std::string& sourceUrl, std::string& license) const;
  /// The store has it: what was fetched goes.
  void drop();

 private:
  /// What came on stdin; goes with its folder.
  class Received;
  struct Forget {
    void operator()(Received* received) const noexcept;
  };
  using ReceivedOwner = std::unique_ptr<Received, Forget>;

  ModelInput() = default;
  static Attempt<ReceivedOwner> receive(Context& context, const Store& store);

  std::optional<hub::ModelFromHub> fetched_;
  ReceivedOwner received_;
  bool isWhole_ = true;
  std::string path_;
  std::unique_ptr<ModelSource> model_;
};

}  // namespace strata::cli
