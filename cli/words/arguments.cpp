#include "cli/words/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>

#include "core/text/suggest.h"

namespace strata::cli {
namespace {

/// What CLI11 filled for one argument, before conversion.
struct Binding {
  const Argument* argument = nullptr;
  std::vector<std::string> values = {};
  std::int64_t count = 0;  ///< of a flag; negative for its negation
  CLI::Option* option = nullptr;
};

std::string longestSpelling(const Argument& argument) {
  const auto names = spellings(argument);
  return *std::max_element(names.begin(), names.end(), [](const auto& left, const auto& right) {
    return left.size() < right.size();
  });
}

bool takesMany(const Argument& argument) {
  return std::holds_alternative<std::vector<std::string>*>(argument.target);
}

void bind(CLI::App& app, Binding& binding) {
  const Argument& argument = *binding.argument;
  if (isFlag(argument)) {
    binding.option = app.add_flag(argument.spelling, binding.count);
    return;
  }
  std::string names = argument.spelling;
  if (isPositional(argument)) {
    // CLI11 allows letters only, help shows "REF..." and "[GLOB]".
    std::erase_if(names, [](char letter) { return std::isalpha(letter) == 0; });
  }
  binding.option = app.add_option(names, binding.values);
  binding.option->allow_extra_args(isPositional(argument) && takesMany(argument));
  if (isPositional(argument) && takesMany(argument)) return;
  binding.option->expected(1)->allow_extra_args(false);
  binding.option->multi_option_policy(takesMany(argument) ? CLI::MultiOptionPolicy::TakeAll
                                                          : CLI::MultiOptionPolicy::TakeLast);
}

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

Result<void> checkChoice(const Argument& argument, const std::string& value) {
  const auto& choices = argument.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
    return {};
  }
  return refuse(fmt::format("{}: \"{}\" is not one of {}{}", longestSpelling(argument), value,
                            fmt::join(choices, ", "), didYouMean(value, choices)));
}

template <typename Number>
Result<Number> number(const Argument& argument, const std::string& text, std::string_view kind) {
  Number parsed{};
  const char* end = text.data() + text.size();
  const auto [stopped, status] = std::from_chars(text.data(), end, parsed);
  if (status != std::errc{} || stopped != end) {
    return refuse(fmt::format("{}: \"{}\" is not {}", longestSpelling(argument), text, kind));
  }
  return parsed;
}

/// Stores the last value of one argument in its target.
Result<void> deliver(const Binding& binding) {
  const Argument& argument = *binding.argument;
  for (const std::string& value : binding.values) STRATA_TRY(checkChoice(argument, value));
  if (auto* const* flag = std::get_if<bool*>(&argument.target)) {
    **flag = binding.count > 0;
  } else if (auto* const* counter = std::get_if<int*>(&argument.target)) {
    **counter = static_cast<int>(binding.count);
  } else if (auto* const* many = std::get_if<std::vector<std::string>*>(&argument.target)) {
    **many = binding.values;
  } else if (auto* const* text = std::get_if<std::string*>(&argument.target)) {
    **text = binding.values.back();
  } else if (auto* const* word = std::get_if<std::optional<std::string>*>(&argument.target)) {
    **word = binding.values.back();
  } else if (auto* const* whole = std::get_if<std::optional<std::uint64_t>*>(&argument.target)) {
    STRATA_TRY(**whole, number<std::uint64_t>(argument, binding.values.back(), "a whole number"));
  } else if (auto* const* real = std::get_if<std::optional<double>*>(&argument.target)) {
    STRATA_TRY(**real, number<double>(argument, binding.values.back(), "a number"));
  }
  return {};
}

/// The error for words that nobody took: an unknown option or one word too many.
Result<void> refuseExtra(const std::vector<std::string>& extra, const Arguments& global,
                         const Arguments& own) {
  if (extra.empty()) return {};
  const std::string& word = extra.front();
  if (word.size() < 2 || word.front() != '-') {
    return refuse(fmt::format("unexpected argument \"{}\"", word));
  }
  std::vector<std::string> known;
  for (const Arguments* list : {&own, &global}) {
    for (const Argument& argument : list->all()) {
      if (isPositional(argument)) continue;
      for (std::string& name : spellings(argument)) known.push_back(std::move(name));
    }
  }
  const std::string name = word.substr(0, word.find('='));
  if (std::ranges::find(known, name) != known.end()) {
    return refuse(fmt::format("unexpected argument \"{}\": what follows -- is no option", word));
  }
  // Every letter is one edit away from every other.
  const std::string meant = name.size() == 2 ? std::string() : didYouMean(name, known);
  // "-x.onnx" and "-weight" may be names.
  const bool mayBeName = meant.empty() && word[1] != '-';
  return refuse(fmt::format("unknown option \"{}\"{}", name,
                            mayBeName ? "; a word that is no option goes after --" : meant));
}

/// "--note=" means an empty value; CLI11 would take the next word instead.
std::vector<std::string> splitEmptyValues(std::vector<std::string> words) {
  std::vector<std::string> split;
  bool isOptions = true;
  for (std::string& word : words) {
    isOptions = isOptions && word != "--";
    const bool isEmptyValue =
        isOptions && word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1;
    if (isEmptyValue) word.pop_back();
    split.push_back(std::move(word));
    if (isEmptyValue) split.emplace_back();
  }
  return split;
}

/// Runs CLI11, the only place where its exceptions are met.
Result<std::vector<std::string>> runParser(CLI::App& app, std::vector<std::string> words) {
  words = splitEmptyValues(std::move(words));
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
    std::vector<std::string> extra = app.remaining();
    std::erase(extra, "--");  // CLI11 counts the mark itself as not taken
    return extra;
  } catch (const CLI::ArgumentMismatch& mismatch) {
    const std::string text = mismatch.what();
    return refuse(fmt::format("{}: a value is missing", text.substr(0, text.find(':'))));
  } catch (const CLI::Error& error) {
    return refuse(error.what());
  }
}

}  // namespace

Argument versionArgument(std::string& target) {
  return {.spelling = "REF",
          .target = &target,
          .help = "a version",
          .completes = Completes::References,
          .isRequired = true};
}

Argument modelFileArgument(std::string& target) {
  return {.spelling = "FILE",
          .target = &target,
          .help = "an .onnx, .safetensors, PyTorch or .npz file, or a folder",
          .completes = Completes::Files,
          .isRequired = true};
}

Argument excludeArgument(std::vector<std::string>& target) {
  return {.spelling = "--exclude",
          .target = &target,
          .value = "GLOB",
          .help = "leave out files of a folder; may be repeated"};
}

Argument followLinksArgument(bool& target) {
  return {.spelling = "--follow-links",
          .target = &target,
          .help = "follow links that leave the model's folder"};
}

bool isPositional(const Argument& argument) noexcept { return argument.spelling.front() != '-'; }

bool isFlag(const Argument& argument) noexcept {
  return std::holds_alternative<bool*>(argument.target) ||
         std::holds_alternative<int*>(argument.target);
}

std::vector<std::string> spellings(const Argument& argument) {
  std::vector<std::string> names(1);
  for (const char letter : argument.spelling) {
    if (letter == ',') {
      names.emplace_back();
    } else if (letter != '!') {
      names.back() += letter;
    }
  }
  return names;
}

void Arguments::add(Argument argument) { arguments_.push_back(std::move(argument)); }

const Argument* Arguments::find(std::string_view spelling) const noexcept {
  for (const Argument& argument : arguments_) {
    if (isPositional(argument)) continue;
    for (const std::string& name : spellings(argument)) {
      if (name == spelling) return &argument;
    }
  }
  return nullptr;
}

Result<void> parseArguments(const Arguments& global, const Arguments& own,
                            std::vector<std::string> words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::deque<Binding> bindings;
  for (const Arguments* list : {&global, &own}) {
    for (const Argument& argument : list->all()) {
      bindings.push_back({.argument = &argument});
      bind(app, bindings.back());
    }
  }
  STRATA_TRY(const std::vector<std::string> extra, runParser(app, std::move(words)));
  STRATA_TRY(refuseExtra(extra, global, own));
  for (const Binding& binding : bindings) {
    if (binding.option->count() > 0) {
      STRATA_TRY(deliver(binding));
    } else if (binding.argument->isRequired) {
      const Argument& missing = *binding.argument;
      const std::string value = missing.value.empty() ? "" : " " + missing.value;
      return refuse(spellings(missing).front() + value + " is missing");
    }
  }
  return {};
}

bool takesNextWord(const Arguments& arguments, std::string_view word) noexcept {
  if (word.size() < 2 || word.front() != '-' || word.find('=') != std::string_view::npos) {
    return false;
  }
  if (word.starts_with("--")) {
    const Argument* argument = arguments.find(word);
    return argument != nullptr && !isFlag(*argument);
  }
  // A group of short flags: only the last can take the next word, "-vC DIR".
  for (std::size_t place = 1; place < word.size(); ++place) {
    const Argument* argument = arguments.find(std::string("-") + word[place]);
    if (argument == nullptr) return false;
    if (!isFlag(*argument)) return place + 1 == word.size();
  }
  return false;
}

}  // namespace strata::cli
