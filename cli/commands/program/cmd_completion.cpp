#include "cli/context.h"
#include "cli/words/command.h"
#include "cli/words/completion.h"

namespace strata::cli {
namespace {

class CompletionCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "completion bash|zsh|fish",
            .summary = "Print what makes a shell complete commands, names, tags and options.",
            .examples = {"completion bash > ~/.local/share/bash-completion/completions/strata",
                         "completion zsh > ~/.zfunc/_strata",
                         "completion fish > ~/.config/fish/completions/strata.fish"}};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "SHELL",
                   .target = &shell_,
                   .help = "bash, zsh or fish",
                   .choices = {"bash", "zsh", "fish"},
                   .isRequired = true});
  }

  Outcome run(Context& context) override {
    const std::string script = completionScript(shell_);
    context.output().document({{"shell", shell_}, {"script", script}});
    context.output().essential(script);
    context.output().line(script);
    return ExitCode::Done;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> makeCompletion() { return std::make_unique<CompletionCommand>(); }

}  // namespace strata::cli
