#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "cli/cpu_work.h"
#include "cli/words/command_line.h"
#include "cli/words/completion.h"
#include "cli/words/help.h"
#include "cli/words/man_page.h"
#include "cli/words/reference_words.h"

namespace strata::cli {
namespace {

/// An Output for what goes wrong before the settings are read.
Output plainOutput(const CommandLine& line) {
  const std::string json = environment("STRATA_JSON");
  const OutputMode mode = line.wantsJson || (!json.empty() && json != "0") ? OutputMode::Machine
                          : line.wantsQuiet                                ? OutputMode::Quiet
                                                                           : OutputMode::Text;
  return Output(mode, inspectTerminal(STDOUT_FILENO, "auto"),
                inspectTerminal(STDERR_FILENO, "auto"));
}

int failed(Output& output, const Problem& problem, const std::string& fix) {
  const bool isTerminated =
      problem.error.code == ErrorCode::Cancelled && StopSignal::received() == SIGTERM;
  const ExitCode code = isTerminated ? ExitCode::Terminated : exitCode(problem.error.code);
  output.failure(problem, fix, code);
  std::fflush(stdout);
  return static_cast<int>(code);
}

int ended(Output& output, ExitCode code) {
  if (const auto flushed = output.finish(); !flushed) return failed(output, flushed.error(), {});
  return static_cast<int>(code);
}

int shown(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  Output output(OutputMode::Text, {}, {});
  return ended(output, ExitCode::Done);
}

/// The help of the program and of each command.
std::string allHelp() {
  std::string text = programHelp();
  for (const CommandRow& row : allCommands()) text += "\n" + commandHelp(row);
  return text;
}

/// `strata help restore`, `strata help trash list`, `strata help options`, `strata help all`.
Attempt<std::string> helpTopic(const std::vector<std::string>& words) {
  const bool isOfProgram = words.empty() || words == std::vector<std::string>{"help"};
  if (isOfProgram || words.front().starts_with('-')) return programHelp();
  if (words.front() == "options") return optionsHelp();
  if (words.front() == "all") return allHelp();
  STRATA_ATTEMPT(const CommandLine line, readCommandLine(words));
  const std::vector<std::string> verbs = verbsOf(words.front());
  if (line.row != nullptr && line.row->name == words.front() && !verbs.empty() &&
      words.size() > 1 && !words[1].starts_with('-')) {
    return usage(fmt::format("unknown {} command \"{}\", expected one of {}", words.front(),
                             words[1], fmt::join(verbs, ", ")),
                 "strata help " + words.front());
  }
  if (line.row != nullptr) return commandHelp(*line.row);
  return line.group.empty() ? programHelp() : groupHelp(line.group);
}

/// What follows "help", before which options of every command may stand; nothing where another
/// command is meant.
std::optional<std::vector<std::string>> helpWords(const std::vector<std::string>& words) {
  GlobalOptions options;
  Arguments global;
  options.declare(global);
  const auto place = firstPlainWord(words, global);
  if (!place || words[*place] != "help") return std::nullopt;
  return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(*place) + 1,
                                  words.end());
}

/// Help in the words of the command line, if it was asked for.
std::optional<Attempt<std::string>> wantedHelp(const CommandLine& line) {
  if (line.row != nullptr && line.wantsHelp) return commandHelp(*line.row);
  if (line.wantsHelp && !line.group.empty()) return groupHelp(line.group);
  if (line.row == nullptr && line.wantsVersion) return versionText() + "\n";
  if (line.row == nullptr && line.group.empty() && (line.wantsHelp || line.rest.empty())) {
    return programHelp();
  }
  return std::nullopt;
}

Outcome missingCommand(const CommandLine& line) {
  if (line.group.empty()) return usage("a command is missing", "strata --help");
  const std::vector<std::string> verbs = verbsOf(line.group);
  return usage(fmt::format("{}: {}{} is missing", line.group, verbs.size() > 1 ? "one of " : "",
                           fmt::join(verbs, ", ")),
               "strata help " + line.group);
}

/// Makes the last lines of a failed evaluator, which follow the message, details.
void splitLines(Problem& cause) {
  std::string& message = cause.error.message;
  const std::size_t end = std::min(message.find('\n'), message.size());
  std::istringstream lines(message.substr(end));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) cause.details.push_back(line);
  }
  message.resize(end);
}

/// Adds the name that was probably meant where a reference was not found, or the command that
/// brings what it names.
Problem explained(const Context& context, Problem cause, const std::vector<std::string>& words) {
  if (cause.error.code == ErrorCode::Evaluator) splitLines(cause);
  if (cause.error.code != ErrorCode::NotFound || !cause.adviceByCode) return cause;
  if (cause.fix.empty()) cause.fix = context.wayBackOf(words, cause.error);
  const std::string near = context.nearName(words, cause.error);
  if (!near.empty()) cause.details.push_back("Did you mean \"" + near + "\"?");
  return cause;
}

int runCommand(const CommandLine& line) {
  Output early = plainOutput(line);
  const std::string name(line.row->name);
  const std::unique_ptr<Command> command = line.row->make();
  GlobalOptions global;
  Arguments globalArguments;
  Arguments arguments;
  global.declare(globalArguments);
  command->declare(arguments);
  if (const auto parsed = parseArguments(globalArguments, arguments, line.rest); !parsed) {
    Problem cause(parsed.error().within(name));
    cause.details.push_back("Usage: strata " + command->info().usage);
    return failed(early, cause, "strata help " + name);
  }
  auto context = Context::make(global, command->mendsSettings());
  if (!context) return failed(early, context.error(), context.error().fix);
  const Outcome claimed = claimCpuCommand(**context, name);
  const Outcome settled = claimed ? settleReferences(**context, name, arguments) : claimed;
  const Outcome outcome = settled ? command->run(**context) : settled;
  (*context)->endProgress();
  (*context)->noteDevice();
  (*context)->noteParity();
  Output& output = (*context)->output();
  if (!outcome) {
    const Problem cause = explained(**context, outcome.error(), line.rest);
    return failed(output, cause, (*context)->adviceFor(cause));
  }
  return ended(output, *outcome);
}

}  // namespace

int runProgram(const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "__complete") {
    return shown(completeWords({words.begin() + 1, words.end()}));
  }
  if (words.size() == 2 && words.front() == "__man") {
    const auto written = writeManPages(words.back());
    Output output = plainOutput({});
    return written ? ended(output, ExitCode::Done) : failed(output, written.error(), {});
  }
  if (const auto asked = helpWords(words)) {
    const auto topic = helpTopic(*asked);
    if (topic) return shown(*topic);
    Output output = plainOutput({});
    return failed(output, topic.error(), topic.error().fix);
  }
  const auto line = readCommandLine(words);
  if (!line) {
    CommandLine wishes;
    for (const std::string& word : words) wishes.wantsJson = wishes.wantsJson || word == "--json";
    Output output = plainOutput(wishes);
    return failed(output, line.error(), line.error().fix);
  }
  if (const auto help = wantedHelp(*line)) return shown(**help);
  if (line->row == nullptr) {
    Output output = plainOutput(*line);
    const Outcome missing = missingCommand(*line);
    return failed(output, missing.error(), missing.error().fix);
  }
  return runCommand(*line);
}

}  // namespace strata::cli
