#include <iostream>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/remote_access.h"
#include "hub/lfs/lfs_agent.h"
#include "onnx_io/model_reader.h"

namespace strata::cli {
namespace {

class LfsAgentCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "lfs-agent [--remote REMOTE]",
            .summary = "Let a git repository keep its LFS files in the store; git-lfs runs it.",
            .examples = {"lfs-agent", "lfs-agent --remote hub"},
            .details =
                "Set up once for a repository: git config lfs.standalonetransferagent strata; git "
                "config lfs.customtransfer.strata.path strata; git config "
                "lfs.customtransfer.strata.args \"lfs-agent -C /path/to/store\"; git config "
                "lfs.customtransfer.strata.concurrent false. From then on git push and git pull "
                "move differences. With --remote, versions go on to that remote and come from it."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "--remote",
                   .target = &remote_,
                   .value = "REMOTE",
                   .help = "a remote behind the store",
                   .completes = Completes::Remotes});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(Store* const store, context.openStore());
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
    }
    const auto served = hub::runLfsAgent(*store, options, std::cin, std::cout, context.stopToken());
    if (!served) return problem(Problem(served.error()));
    return ExitCode::Done;
  }

 private:
  std::string remote_;
};

}  // namespace

std::unique_ptr<Command> makeLfsAgent() { return std::make_unique<LfsAgentCommand>(); }

}  // namespace strata::cli
