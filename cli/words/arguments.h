#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"

namespace strata::cli {

/// What shell completion offers as an argument's value.
enum class Completes {
  Nothing,
  Files,
  Folders,
  References,  ///< names, name:vN and name:tag
  Names,
  Profiles,
  Remotes,    ///< names of the store's remotes
  Transfers,  ///< numbers of those that nobody runs
  ConfigKeys,
  Commands,
};

/// Where a parsed value goes. Flags are bool or int (counted); a vector takes all values.
using ArgumentTarget =
    std::variant<bool*, int*, std::string*, std::optional<std::string>*,
                 std::optional<std::uint64_t>*, std::optional<double>*, std::vector<std::string>*>;

/// One option, flag or positional argument. Declared once; parser, help and completion read it.
struct Argument {
  std::string spelling;  ///< "-o,--output"; "--verify,!--no-verify"; "REF" for a positional
  ArgumentTarget target;
  std::string value = {};  ///< name of the value in help, "FILE"; empty for flags and positionals
  std::string help = {};
  Completes completes = Completes::Nothing;
  std::vector<std::string> choices = {};  ///< the only values allowed, if any
  bool isRequired = false;
};

/// True for arguments given by place, not by a dash.
bool isPositional(const Argument& argument) noexcept;
/// True for options that take no value.
bool isFlag(const Argument& argument) noexcept;
/// "-o", "--output", in the order declared, without the "!" of negations.
std::vector<std::string> spellings(const Argument& argument);

/// REF of the commands about one version.
Argument versionArgument(std::string& target);
/// FILE of the commands that read a model.
Argument modelFileArgument(std::string& target);
/// `--exclude` of the commands that read a folder.
Argument excludeArgument(std::vector<std::string>& target);
/// `--follow-links` of the commands that read models.
Argument followLinksArgument(bool& target);

/// The words of a command line that came after the command, and what to do with each.
class Arguments {
 public:
  void add(Argument argument);
  const std::vector<Argument>& all() const noexcept { return arguments_; }
  const Argument* find(std::string_view spelling) const noexcept;

 private:
  std::vector<Argument> arguments_;
};

/// Fills the targets of `global` and `own` from `words`; options of both may stand in any place.
/// Fails with InvalidArgument, naming the word and the nearest correct one.
Result<void> parseArguments(const Arguments& global, const Arguments& own,
                            std::vector<std::string> words);

/// Whether a word takes the next one as its value, as far as `arguments` says.
bool takesNextWord(const Arguments& arguments, std::string_view word) noexcept;

}  // namespace strata::cli
