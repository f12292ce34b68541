#include "cli/context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "core/config/user_folders.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/parity/parity_folder.h"
#include "core/store/store_location.h"
#include "core/store/store_places.h"
#include "core/text/suggest.h"
#include "core/text/wording.h"
#include "onnx_io/model_reader.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

OutputMode modeOf(const GlobalOptions& global) {
  const std::string wish = environment("STRATA_JSON");
  if (global.json || (!wish.empty() && wish != "0")) return OutputMode::Machine;
  return global.quiet ? OutputMode::Quiet : OutputMode::Text;
}

/// The flags that are settings, too, on top of what files and variables say.
Result<void> applyFlags(const GlobalOptions& global, Config& config) {
  const std::pair<std::string_view, const std::optional<std::string>*> flags[] = {
      {"color", &global.colour},  {"progress", &global.progress}, {"jobs", &global.jobs},
      {"memory", &global.memory}, {"device", &global.device},     {"wait", &global.wait},
  };
  for (const auto& [key, value] : flags) {
    if (*value) {
      const auto set = config.override(key, **value);
      if (!set) return fail(ErrorCode::InvalidArgument, "--" + set.error().message);
    }
  }
  if (global.offline) STRATA_TRY(config.override("offline", "true"));
  return {};
}

std::vector<std::string> neighboursOf(const fs::path& file) {
  std::vector<std::string> names;
  std::error_code status;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, status), end; !status && entry != end;
       entry.increment(status)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

/// "a, b and 3 more"; or empty.
std::string someOf(std::vector<std::string> names, std::string_view joint) {
  constexpr std::size_t kMostNamed = 5;
  const std::size_t more = names.size() - std::min(names.size(), kMostNamed);
  if (more > 0) names.resize(kMostNamed);
  std::string text = fmt::format("{}", fmt::join(names, joint));
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

/// What the reading of a folder said of paths under a key, such as "skipped" for files with secrets
/// that it passed over: "a, b and 3 more"; or empty.
std::string pathsSaid(const ModelDescription& model, std::string_view wanted) {
  std::vector<std::string> names;
  for (const auto& [key, path] : model.metadata) {
    const fs::path name = fs::path(path).filename();
    const bool isRepository = name == ".git" || name == ".strata";
    if (model.format == "folder" && key == wanted && !isRepository) names.push_back(path);
  }
  return someOf(std::move(names), ", ");
}

void sayWhatIsOdd(const ModelDescription& model, Output& output) {
  if (model.oddTensors.empty()) return;
  output.warning(printable(fmt::format(
      "{} {} as plain bytes, because shape and length do not fit each other: {}",
      wordCount(model.oddTensors.size(), "tensor"),
      model.oddTensors.size() == 1 ? "counts" : "count", someOf(model.oddTensors, "; "))));
}

/// What the reader did not understand is kept all the same: said, since it takes all its room.
void sayWhatIsBytes(const ModelDescription& model, Output& output) {
  std::vector<std::string> lines;
  for (const auto& [key, line] : model.metadata) {
    if (key == "stored as bytes") lines.push_back(line);
  }
  if (lines.empty()) return;
  output.warning(printable("Stored as plain bytes, " + someOf(std::move(lines), "; ")));
}

void sayWhatFolderHas(const ModelDescription& model, Output& output) {
  if (const std::string secrets = pathsSaid(model, "skipped"); !secrets.empty()) {
    output.warning(
        fmt::format("{}: left out, because such files hold secrets; a line !NAME in "
                    "its .strataignore stores one",
                    secrets));
  }
  if (const std::string links = pathsSaid(model, "link"); !links.empty()) {
    output.note(printable("Links count as the files that they lead to: " + links));
  }
  if (const std::string folders = pathsSaid(model, "empty folder"); !folders.empty()) {
    output.note(printable("Empty folders are no part of a model: " + folders));
  }
}

/// The file that is wrong can be edited, whatever is wrong in it.
Problem unreadSettings(Error error, const fs::path& userFile, const fs::path& storeFile) {
  const auto isOf = [&](const fs::path& file) {
    return !file.empty() && error.message.starts_with(file.string());
  };
  const char* const fix = isOf(storeFile)  ? "strata config edit --in-store"
                          : isOf(userFile) ? "strata config edit"
                                           : "";
  return {std::move(error), fix};
}

}  // namespace

Context::Context(GlobalOptions global, Config config, Output output)
    : global_(std::move(global)), config_(std::move(config)), output_(output) {}

Attempt<std::unique_ptr<Context>> Context::make(const GlobalOptions& global, bool withoutSettings) {
  const fs::path userFile =
      global.configFile ? fs::path(*global.configFile) : strata::userConfigFile();
  std::error_code status;
  if (global.configFile && !fs::exists(userFile, status)) {
    return fail(ErrorCode::NotFound, fmt::format("--config: {}: no such file", userFile.string()));
  }
  std::optional<fs::path> option;
  if (global.store) option = *global.store;
  const auto location = findStore(option, fs::current_path(status));
  std::optional<fs::path> storeFile;
  if (location) storeFile = location->folder / "config.toml";
  Result<Config> loaded = Config::load(userFile, storeFile);
  const std::string unread = loaded ? "" : loaded.error().message;
  if (!loaded && !withoutSettings) {
    return problem(unreadSettings(std::move(loaded).error(), userFile, storeFile.value_or("")));
  }
  Config config = loaded ? std::move(*loaded) : Config::defaults();
  STRATA_TRY(applyFlags(global, config));
  const std::string colour = config.text("color");
  Output output(modeOf(global), inspectTerminal(STDOUT_FILENO, colour),
                inspectTerminal(STDERR_FILENO, colour));
  std::unique_ptr<Context> context(new Context(global, std::move(config), output));
  context->userConfigFile_ = userFile;
  if (location) context->storeLocation_ = *location;
  if (global.store) context->output_.setStore(*global.store);
  if (const std::uint64_t jobs = context->config_.number("jobs"); jobs > 0) {
    context->threads_ = std::make_unique<ThreadLimit>(jobs);
  }
  if (!unread.empty()) context->output_.warning(printable("settings are not used: " + unread));
  if (global.verbosity > 0) {
    context->output_.note(printable(fmt::format("Store {}, settings {}",
                                                location ? location->folder.string() : "nowhere",
                                                userFile.string())));
  }
  for (const std::string& key : context->config_.unknownKeys()) {
    context->output_.warning("unknown setting in " + key);
  }
  for (const UnconfirmedSetting& one : context->config_.unconfirmed()) {
    // What is sent to a server stops there instead.
    if (one.key != "proxy") {
      context->output_.warning(printable(notConfirmed(one.file, one.statement).message));
    }
  }
  return context;
}

Attempt<fs::path> Context::storeFolder() const {
  if (storeLocation_) return storeLocation_->folder;
  return problem(ErrorCode::NoStore,
                 "there is no place for a store: neither -C, STRATA_STORE nor "
                 "HOME is set");
}

Attempt<fs::path> Context::storeConfigFile() const {
  STRATA_ATTEMPT(const fs::path folder, storeFolder());
  if (!Store::isStore(folder)) {
    return problem(ErrorCode::NoStore, fmt::format("no store at {}", folder.string()));
  }
  return folder / "config.toml";
}

Attempt<Store*> Context::openStore() {
  if (store_) return store_.get();
  STRATA_ATTEMPT(const fs::path folder, storeFolder());
  auto opened = Store::open(folder);
  if (!opened) {
    Problem cause(std::move(opened).error());
    // The catalog can be written anew. Settings that are damaged, and what lies in the place of the
    // store's files, only its owner can mend.
    const bool isCatalog =
        cause.error.code == ErrorCode::CorruptData && Store::checkFormat(folder).has_value();
    if (isCatalog) cause.fix = "strata verify --rebuild-catalog";
    cause.adviceByCode = isCatalog || checkPlaces(folder).has_value();
    return problem(std::move(cause));
  }
  store_ = std::move(*opened);
  store_->setLockWait(lockWait());
  return store_.get();
}

LockWait Context::lockWait() {
  const std::chrono::seconds longest(config_.number("wait"));
  return {longest, [this, longest](const std::string& owner) {
            endProgress();
            output_.note(
                printable(fmt::format("Waiting up to {} s: locked by {}", longest.count(), owner)));
          }};
}

Attempt<std::unique_ptr<ModelSource>> Context::openModel(const std::string& path, bool followLinks,
                                                         const std::vector<std::string>& exclude) {
  auto opened = strata::openModel(path, followLinks ? Links::Followed : Links::Confined, exclude);
  if (opened) {
    if (warned_.insert(path).second) {
      sayWhatFolderHas((*opened)->description(), output_);
      sayWhatIsOdd((*opened)->description(), output_);
      sayWhatIsBytes((*opened)->description(), output_);
    }
    return std::move(*opened);
  }
  Problem cause(std::move(opened).error());
  std::error_code status;
  if (cause.error.code == ErrorCode::NotFound && !fs::exists(path, status)) {
    cause.error.message =
        fmt::format("{}: no such file{}", path,
                    didYouMean(fs::path(path).filename().string(), neighboursOf(path)));
  }
  // A user's file that is cut is no damage of the store.
  if (cause.error.code == ErrorCode::CorruptData) cause.error.code = ErrorCode::Unsupported;
  cause.adviceByCode = false;
  return problem(std::move(cause));
}

Device* Context::device() {
  if (!device_) {
    const auto wish = deviceWishFromName(config_.text("device"));
    device_ = std::make_unique<Device>(wish.value_or(DeviceWish::Auto));
  }
  return device_.get();
}

void Context::noteDevice() {
  const std::string text = device_ ? device_->note() : std::string{};
  if (!text.empty()) output_.note(printable(text));
}

void Context::noteParity() {
  if (!store_) return;
  const auto behind = ParityFolder(store_->folder()).behind();
  if (!behind) return;
  output_.warning(printable(fmt::format(
      "some objects are not protected by parity yet, which the next command that writes tries "
      "again: {}",
      *behind)));
}

std::stop_token Context::stopToken() {
  if (!stopSignal_) stopSignal_ = std::make_unique<StopSignal>();
  return stopSignal_->token();
}

ProgressSink Context::progress(JsonProgress json) {
  const ProgressStyle style = progressStyle(output_, config_.text("progress"));
  if (style == ProgressStyle::Events && json == JsonProgress::None) return {};
  endProgress();
  auto& display = progress_[style];
  if (!display) display = std::make_unique<ProgressDisplay>(output_, style);
  display->begin();
  return display->sink();
}

void Context::endProgress() {
  for (const auto& [style, display] : progress_) display->pause();
}

Attempt<bool> Context::confirm(const std::string& what) {
  if (global_.yes) return true;
  if (global_.noInput || output_.isJson() || ::isatty(STDIN_FILENO) != 1) {
    return usage(what, "the same command with --yes");
  }
  std::fprintf(stderr, "%s\nContinue? [y/N] ", printable(what).c_str());
  std::fflush(stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace strata::cli
