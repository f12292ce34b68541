#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cli/output.h"
#include "cli/problem.h"
#include "cli/stop_signal.h"
#include "cli/views/progress_display.h"
#include "cli/words/arguments.h"
#include "core/config/config.h"
#include "core/device/device.h"
#include "core/model/model_source.h"
#include "core/parallel.h"
#include "core/store/store.h"
#include "core/store/store_location.h"

namespace strata::cli {

/// Options that every command takes, in any place.
struct GlobalOptions {
  std::optional<std::string> store;
  bool json = false;
  bool quiet = false;
  int verbosity = 0;
  std::optional<std::string> colour;
  std::optional<std::string> progress;
  bool yes = false;
  bool noInput = false;
  bool offline = false;
  std::optional<std::string> jobs;
  std::optional<std::string> memory;
  std::optional<std::string> device;
  std::optional<std::string> wait;
  std::optional<std::string> configFile;
  bool help = false;
  bool version = false;

  void declare(Arguments& arguments);
};

/// What one run of a command works with: where the store is, what is configured, where output goes.
class Context {
 public:
  /// Finds the store's place and reads the settings; opens nothing. `withoutSettings`: where they
  /// cannot be read, the defaults hold, and a warning says why.
  static Attempt<std::unique_ptr<Context>> make(const GlobalOptions& global,
                                                bool withoutSettings = false);

  Output& output() noexcept { return output_; }
  const Config& config() const noexcept { return config_; }
  const GlobalOptions& global() const noexcept { return global_; }
  const std::filesystem::path& userConfigFile() const noexcept { return userConfigFile_; }

  /// Where the store is or would be. Fails with NoStore without a home folder.
  Attempt<std::filesystem::path> storeFolder() const;
  /// The settings file of the store.
  Attempt<std::filesystem::path> storeConfigFile() const;

  /// Opens the store, once; it lives as long as the context. A problem says how to get one.
  Attempt<Store*> openStore();
  /// How long `--wait` lets a writer wait for another one; it says so on stderr.
  LockWait lockWait();

  /// Opens a model's file or folder, without the files of a folder that `exclude` names. Warns of
  /// files with secrets that are left out. A problem names near files.
  Attempt<std::unique_ptr<ModelSource>> openModel(const std::string& path, bool followLinks,
                                                  const std::vector<std::string>& exclude = {});

  /// What `--device` asks for; looked for when an op has work for it.
  Device* device();

  /// From now on Ctrl-C and SIGTERM ask the returned token to stop, until the context goes away.
  std::stop_token stopToken();

  /// Progress on stderr, or as events where the command's JSON is JSON Lines.
  enum class JsonProgress { Events, None };
  ProgressSink progress(JsonProgress json);
  /// Ends the progress display, before results are printed.
  void endProgress();
  /// Says why the CPU did what a GPU should have done, if so.
  void noteDevice();

  /// Says that objects of the store lack the parity that they should have, if so.
  void noteParity();

  /// Asks for a yes where something would be lost. `what` names it with path and bytes.
  /// Fails with InvalidArgument if nobody can answer and --yes is not given.
  Attempt<bool> confirm(const std::string& what);

  /// A stored name near to one of `words`, which may be references; empty if there is none.
  std::string nearName(const std::vector<std::string>& words, const Error& error) const;
  /// The command that brings back what one of `words` names: the packs of a version that was pulled
  /// without them, or a version in the trash if `error` is about it; empty if there is none.
  std::string wayBackOf(const std::vector<std::string>& words, const Error& error) const;
  /// The command that does that ("restore", "empty") with versions that are in the trash; empty if
  /// one of them is not.
  std::string trashCommand(std::string_view verb, const std::vector<std::string>& references) const;
  /// What to do about a failure that came without advice; may be empty.
  std::string adviceFor(const Problem& problem) const;

 private:
  Context(GlobalOptions global, Config config, Output output);
  /// How to come to a store where there is none.
  std::string storeAdvice() const;
  /// What makes room on the disk that `output` is on; the store's if that is empty.
  std::string spaceAdvice(const std::filesystem::path& output) const;

  GlobalOptions global_;
  Config config_;
  Output output_;
  std::filesystem::path userConfigFile_;
  std::optional<StoreLocation> storeLocation_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<ThreadLimit> threads_;  // of --jobs
  std::unique_ptr<Device> device_;
  std::set<std::string> warned_;  // of folders: once for each
  std::unique_ptr<StopSignal> stopSignal_;
  /// One for each style: a job that another one runs in between goes on with its own sink.
  std::map<ProgressStyle, std::unique_ptr<ProgressDisplay>> progress_;
};

}  // namespace strata::cli
