#include "cli/words/man_page.h"

#include <fmt/format.h>

#include "cli/context.h"
#include "cli/words/help.h"
#include "core/io/text_file.h"

namespace strata::cli {
namespace {

/// Text as troff shows it: no line is taken for a request, no dash for a hyphen.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const bool startsLine = out.empty() || out.back() == '\n';
    if (startsLine && (letter == '.' || letter == '\'')) out += "\\&";
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string heading(std::string_view page) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"Strata\"\n.nh\n", escaped(page), versionText());
}

std::string argumentItems(const Arguments& arguments, bool positionals) {
  std::string text;
  for (const Argument& argument : arguments.all()) {
    if (isPositional(argument) != positionals) continue;
    std::string names = fmt::format("{}", fmt::join(spellings(argument), ", "));
    text += ".TP\n.B " + escaped(names);
    if (!argument.value.empty()) text += " \\fI" + escaped(argument.value) + "\\fR";
    text += "\n" + escaped(argument.help) + "\n";
  }
  return text;
}

std::string section(std::string_view title, const std::string& body) {
  return body.empty() ? std::string{} : fmt::format(".SH {}\n{}", title, body);
}

std::string literal(const std::string& lines) { return ".nf\n" + escaped(lines) + ".fi\n"; }

std::string pageName(std::string_view command) {
  std::string name = fmt::format("strata-{}", command);
  for (char& letter : name) letter = letter == ' ' ? '-' : letter;
  return name;
}

}  // namespace

std::string manPage(const CommandRow& row) {
  const std::unique_ptr<Command> command = row.make();
  const CommandInfo info = command->info();
  Arguments arguments;
  command->declare(arguments);
  const std::string name = pageName(row.name);
  std::string examples;
  for (const std::string& example : info.examples) examples += "strata " + example + "\n";
  return heading(name) + section("NAME", escaped(name) + " \\- " + escaped(info.summary) + "\n") +
         section("SYNOPSIS", ".B strata " + escaped(info.usage) + "\n") +
         section("DESCRIPTION", info.details.empty() ? "" : escaped(info.details) + "\n") +
         section("ARGUMENTS", argumentItems(arguments, true)) +
         section("OPTIONS", argumentItems(arguments, false) +
                                ".PP\nThe options of every command are in\n.BR strata (1).\n") +
         section("EXAMPLES", examples.empty() ? "" : literal(examples)) +
         section("SEE ALSO", ".BR strata (1)\n");
}

std::string programManPage() {
  GlobalOptions options;
  Arguments arguments;
  options.declare(arguments);
  std::string commands;
  for (const CommandRow& row : allCommands()) {
    commands += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(pageName(row.name)),
                            escaped(row.make()->info().summary));
  }
  // What stands behind the list of options in `strata help options`.
  const std::string help = optionsHelp();
  return heading("strata") +
         section("NAME", "strata \\- store fine\\-tuned models as small differences to a base\n") +
         section("SYNOPSIS", ".B strata\n.I COMMAND\n[options]\n") + section("COMMANDS", commands) +
         section("OPTIONS", argumentItems(arguments, false)) +
         section("REFERENCES, VARIABLES, EXIT CODES",
                 literal(help.substr(help.find("References:"))));
}

Result<void> writeManPages(const std::filesystem::path& folder) {
  STRATA_TRY(writeTextFile(folder / "strata.1", programManPage()));
  for (const CommandRow& row : allCommands()) {
    STRATA_TRY(writeTextFile(folder / (pageName(row.name) + ".1"), manPage(row)));
  }
  return {};
}

}  // namespace strata::cli
