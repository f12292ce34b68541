#include <fmt/format.h>

#include <array>
#include <iostream>
#include <utility>

#include "cli/base_fetch.h"
#include "cli/context.h"
#include "cli/remote_access.h"
#include "cli/run_tool.h"
#include "cli/words/command.h"
#include "core/text/command_words.h"
#include "hub/lfs/lfs_agent.h"
#include "onnx_io/model_reader.h"

namespace strata::cli {
namespace {

class LfsAgentCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "lfs-agent [--install] [--remote REMOTE] [--fetch-bases]",
            .summary = "Let a git repository keep its LFS files in the store; git-lfs runs it.",
            .examples = {"lfs-agent --install", "lfs-agent --install --remote hub"},
            .details =
                "--install sets it up once for the repository that you are in. From then on git "
                "push and git pull move differences. With --remote, versions go on to that remote "
                "and come from it."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "--remote",
                   .target = &remote_,
                   .value = "REMOTE",
                   .help = "a remote behind the store",
                   .completes = Completes::Remotes});
    arguments.add({.spelling = "--install",
                   .target = &install_,
                   .help = "set git-lfs up in this repository to run it"});
    arguments.add(fetchBasesArgument(fetchBases_));
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
    if (install_) return install(context, *store);
    std::error_code status;
    STRATA_ATTEMPT(
        const std::filesystem::path temporary,
        hub::lfsTemporaryFolder(std::filesystem::current_path(status), environment("GIT_DIR")));
    hub::LfsAgentOptions options{
        .openModel = [](const std::filesystem::path& file) { return strata::openModel(file); },
        .memoryBytes = context.config().byteCount("memory"),
        .parallel = parallelTransfers(context),
        .temporaryFolder = temporary};
    std::optional<OpenRemote> remote;
    if (!remote_.empty()) {
      STRATA_ATTEMPT(remote, openRemote(context, remote_));
      options.remote = remote->transport.get();
      options.remoteName = remote->shown();
      options.fetchBase = fetcher(context, *store);
    }
    const auto served = hub::runLfsAgent(*store, options, std::cin, std::cout, context.stopToken());
    if (!served) return problem(Problem(served.error()));
    return ExitCode::Done;
  }

 private:
  /// Nobody can be asked: the input is git-lfs's.
  BaseFetcher fetcher(Context& context, Store& store) const {
    if (fetchBases_) return baseFetcher(context, store, true);
    return [this](const BaseElsewhere& base, const std::stop_token&,
                  const ProgressSink&) -> Result<void> {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("the remote does not hold the base {}; \"strata lfs-agent --install "
                              "--remote {} --fetch-bases\" has it fetched from there",
                              placeText(base), shellWord(remote_)));
    };
  }

  /// Writes what git-lfs asks for into the repository's own settings.
  Outcome install(Context& context, const Store& store) const {
    if (!remote_.empty()) {
      STRATA_ATTEMPT(const OpenRemote known, openRemote(context, remote_));
    }
    std::string arguments = "lfs-agent -C " + shellWord(store.folder().string());
    if (!remote_.empty()) arguments += " --remote " + shellWord(remote_);
    if (fetchBases_) arguments += " --fetch-bases";
    const std::array<std::pair<std::string, std::string>, 4> settings{
        {{"lfs.standalonetransferagent", "strata"},
         {"lfs.customtransfer.strata.path", "strata"},
         {"lfs.customtransfer.strata.args", arguments},
         {"lfs.customtransfer.strata.concurrent", "false"}}};
    Json written = Json::object();
    for (const auto& [key, value] : settings) {
      STRATA_TRY(const int ended, runTool({"git", "config", key, value}));
      if (ended != 0) {
        return problem(ErrorCode::Io, fmt::format("git config {}: ended with status {}, expected a "
                                                  "git repository here",
                                                  key, ended));
      }
      written[key] = value;
    }
    Output& output = context.output();
    output.document({{"settings", std::move(written)}});
    output.line(printable("git-lfs keeps this repository's files in " + store.folder().string()));
    return ExitCode::Done;
  }

  std::string remote_;
  bool install_ = false;
  bool fetchBases_ = false;
};

}  // namespace

std::unique_ptr<Command> makeLfsAgent() { return std::make_unique<LfsAgentCommand>(); }

}  // namespace strata::cli
