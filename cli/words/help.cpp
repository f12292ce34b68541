#include "cli/words/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/context.h"

namespace strata::cli {
namespace {

constexpr std::size_t kTextColumn = 26;
constexpr std::size_t kLineColumns = 80;

/// Breaks `text` into lines that begin at a column; the first line is begun by the caller.
std::string wrapped(const std::string& text, std::size_t column) {
  std::string lines;
  std::size_t used = column;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    if (used + word.size() > kLineColumns && used > column) {
      lines.erase(lines.find_last_not_of(' ') + 1);
      lines += "\n" + std::string(column, ' ');
      used = column;
    }
    lines += word + " ";
    used += word.size() + 1;
    from = end + 1;
  }
  lines.erase(lines.find_last_not_of(' ') + 1);
  return lines;
}

std::string argumentLine(const Argument& argument) {
  std::string names;
  for (const std::string& name : spellings(argument)) {
    const bool startsLong = names.empty() && name.starts_with("--");
    names += (startsLong ? "    " : names.empty() ? "" : ", ") + name;
  }
  if (!argument.value.empty()) names += " " + argument.value;
  std::string line = fmt::format("  {:<{}}", names, kTextColumn - 2);
  if (names.size() + 3 > kTextColumn) line = "  " + names + "\n" + std::string(kTextColumn, ' ');
  return line + wrapped(argument.help, kTextColumn) + "\n";
}

std::string argumentLines(const Arguments& arguments, bool positionals) {
  std::string lines;
  for (const Argument& argument : arguments.all()) {
    if (isPositional(argument) == positionals) lines += argumentLine(argument);
  }
  return lines;
}

}  // namespace

std::string programHelp() {
  return R"(Store fine-tuned models as small differences to a base.

  strata init                                strata import base.onnx --name base
  strata add my-task tuned.onnx              strata list --tree
  strata restore my-task -o out.onnx         strata diff my-task:v1 my-task:v2

Start:     init import add              Look:     list log show diff du
Get back:  restore cat verify trash     Care:     rename remove prune gc tag
Improve:   recode tune profile bench    Change:   note source undo history redo
Share:     remote push pull fetch clone transfer search bundle serve auth
           lfs-agent                    Set up:   config man completion info
Train:     snapshot watch resume run

A model is an ONNX, safetensors, PyTorch or npz file, or a folder of them.
A reference is NAME (newest), NAME:vN, NAME:TAG, NAME~1 (one back) or @HASH.

  -C, --store DIR    the store (else STRATA_STORE, .strata here or above, own)
      --json         results for programs        -q    the essential value only
  -y, --yes          confirm                     -j N  threads

strata help COMMAND explains a command; strata help options lists all options.
strata help all prints everything.
)";
}

std::string commandHelp(const CommandRow& row) {
  const std::unique_ptr<Command> command = row.make();
  const CommandInfo info = command->info();
  Arguments arguments;
  command->declare(arguments);
  std::string text = "Usage: strata " + info.usage + "\n\n" + wrapped(info.summary, 0) + "\n";
  if (!info.examples.empty()) {
    text += "\nExamples:\n";
    for (const std::string& example : info.examples) text += "  strata " + example + "\n";
  }
  const std::string positionals = argumentLines(arguments, true);
  if (!positionals.empty()) text += "\nArguments:\n" + positionals;
  const std::string options = argumentLines(arguments, false);
  if (!options.empty()) text += "\nOptions:\n" + options;
  if (!info.details.empty()) text += "\n" + wrapped(info.details, 0) + "\n";
  const std::vector<std::string> verbs = verbsOf(row.name);
  if (!verbs.empty()) {
    text += fmt::format("\nSee also: strata help {} {}\n", row.name, fmt::join(verbs, "|"));
  }
  return text + "\nstrata help options lists what every command takes.\n";
}

std::string groupHelp(const std::string& group) {
  std::string text = fmt::format("Usage: strata {} {}\n\n", group, fmt::join(verbsOf(group), "|"));
  for (const std::string& verb : verbsOf(group)) {
    const CommandInfo info = findCommand(group + " " + verb)->make()->info();
    text += fmt::format("  {:<{}}", "strata " + group + " " + verb, kTextColumn - 2) +
            wrapped(info.summary, kTextColumn) + "\n";
  }
  return text + fmt::format("\nstrata help {} VERB explains one of them.\n", group);
}

std::string optionsHelp() {
  GlobalOptions options;
  Arguments arguments;
  options.declare(arguments);
  return "Options of every command, in any place:\n" + argumentLines(arguments, false) + R"(
References:
  NAME                    the newest version
  NAME:v3  NAME:prod      by number, by tag
  NAME~2                  two before the newest
  @7c1f9e02               by hash, 4 or more digits

Variables:
  STRATA_STORE  STRATA_CONFIG  STRATA_JSON  STRATA_OFFLINE  STRATA_PROFILE
  STRATA_EFFORT  STRATA_JOBS  STRATA_MEMORY  STRATA_DEVICE
  NO_COLOR  CLICOLOR_FORCE  EDITOR

Exit codes:
  0 done             4 login         8 network            12 store is too new
  1 failed           5 not found     9 no space, memory   130, 143 stopped
  2 usage            6 damage       10 no store
  3 partly done      7 not met      11 store is locked
)";
}

std::string versionText() { return "strata " STRATA_VERSION; }

}  // namespace strata::cli
