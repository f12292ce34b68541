#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/context.h"
#include "cli/run_tool.h"
#include "cli/words/command.h"
#include "cli/words/command_line.h"
#include "cli/words/help.h"
#include "cli/words/man_page.h"
#include "core/io/temp_file.h"

namespace strata::cli {
namespace {

class ManCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "man [COMMAND]",
            .summary = "Show the manual page of a command, or of the program.",
            .examples = {"man", "man add", "man remote gc"},
            .details = "man(1) shows it; it need not be installed. -q prints the page's source."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "COMMAND...",
                   .target = &words_,
                   .help = "without it strata(1)",
                   .completes = Completes::Commands});
  }

  Outcome run(Context& context) override {
    const CommandRow* row = nullptr;
    if (!words_.empty()) {
      STRATA_ATTEMPT(const CommandLine line, readCommandLine(words_));
      if (line.row == nullptr && !line.group.empty() && line.rest.empty()) {
        const std::vector<std::string> verbs = verbsOf(line.group);
        return usage(fmt::format("{} has a page for each of its commands: {}", line.group,
                                 fmt::join(verbs, ", ")),
                     fmt::format("strata man {} {}", line.group, verbs.front()));
      }
      if (line.row == nullptr || !line.rest.empty()) {
        return usage(fmt::format("there is no page \"{}\"", fmt::join(words_, " ")),
                     "strata help " + words_.front());
      }
      row = line.row;
    }
    const std::string page = row == nullptr ? programManPage() : manPage(*row);
    Output& output = context.output();
    output.document({{"page", page}});
    output.essential(page);
    if (!output.isText()) return ExitCode::Done;
    std::error_code status;
    STRATA_TRY(TempFile file,
               TempFile::create(std::filesystem::temp_directory_path(status), "strata-man"));
    STRATA_TRY(file.append(std::as_bytes(std::span(page))));
    const auto ended = runTool({"man", "-l", file.path().string()});
    if (ended && *ended == 0) return ExitCode::Done;
    output.note("man cannot show the page, this is the help:");
    const std::string help = row == nullptr ? programHelp() : commandHelp(*row);
    output.line(help.substr(0, help.find_last_not_of('\n') + 1));
    return ExitCode::Done;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> makeMan() { return std::make_unique<ManCommand>(); }

}  // namespace strata::cli
