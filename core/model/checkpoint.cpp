#include "core/model/checkpoint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace strata {
namespace {

constexpr std::array<std::string_view, 3> kPickled{".pt", ".pth", ".bin"};

bool isDigit(char letter) noexcept { return letter >= '0' && letter <= '9'; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return out;
}

/// The digits at `at`; nothing where none stand there, or too many.
std::optional<std::uint64_t> numberAt(std::string_view text, std::size_t at) noexcept {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, status] =
      std::from_chars(text.data() + std::min(at, text.size()), end, value);
  static_cast<void>(stopped);
  return status == std::errc{} ? std::optional(value) : std::nullopt;
}

/// The number that follows a word in a name, behind an "s" or a joint.
std::optional<std::uint64_t> numberAfter(const std::string& text, std::string_view word) {
  // From the end: "global_step500" and "epoch=1-step=500" alike.
  for (std::size_t at = text.rfind(word); at != std::string::npos;
       at = at == 0 ? std::string::npos : text.rfind(word, at - 1)) {
    std::size_t digits = at + word.size();
    if (digits < text.size() && text[digits] == 's') ++digits;
    const bool hasJoint = digits < text.size() &&
                          std::string_view("=-_").find(text[digits]) != std::string_view::npos;
    if (auto number = numberAt(text, digits + (hasJoint ? 1 : 0))) return number;
  }
  return std::nullopt;
}

/// The name without an ending of letters: "step=500" of "step=500.ckpt".
std::string_view stemOf(std::string_view name) noexcept {
  const std::size_t dot = name.rfind('.');
  const bool isEnding =
      dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() && !isDigit(name[dot + 1]);
  return isEnding ? name.substr(0, dot) : name;
}

bool endsInOne(std::string_view name, std::span<const std::string_view> endings) noexcept {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

/// What a file of a checkpoint holds.
enum class Part { Other, Model, Optimizer, State };

/// What one word of its name says.
Part partOfWord(std::string_view word) {
  constexpr std::array<std::string_view, 4> kModels{"model", "models", "weights", "params"};
  constexpr std::array<std::string_view, 7> kOptimizers{
      "optim", "optims", "optimizer", "optimizers", "optimstates", "optimstate", "optimizerstate"};
  constexpr std::array<std::string_view, 9> kStates{"scheduler",   "schedulers", "sched",
                                                    "lrscheduler", "scaler",     "gradscaler",
                                                    "sampler",     "rng",        "rngstate"};
  const auto isOneOf = [&](std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (isOneOf(kModels)) return Part::Model;
  if (isOneOf(kOptimizers)) return Part::Optimizer;
  return isOneOf(kStates) ? Part::State : Part::Other;
}

/// The last word that says anything decides: "model_optimizer_20" is an optimizer's, and
/// "optimizer_free_model" is a model.
Part partOfName(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  const std::string text = lower(name);
  Part part = Part::Other;
  for (std::size_t at = text.find_first_of(kLetters); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(kLetters, at), text.size());
    const Part said = partOfWord(std::string_view(text).substr(at, end - at));
    if (said != Part::Other) part = said;
    at = text.find_first_of(kLetters, end);
  }
  return part;
}

std::string_view fileOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

std::string_view name(CheckpointKind kind) noexcept {
  switch (kind) {
    case CheckpointKind::Transformers:
      return "transformers";
    case CheckpointKind::Accelerate:
      return "accelerate";
    case CheckpointKind::Lightning:
      return "lightning";
    case CheckpointKind::Distributed:
      return "distributed";
    case CheckpointKind::Plain:
      break;
  }
  return "plain";
}

std::optional<std::uint64_t> stepOfName(std::string_view name) {
  const std::string text = lower(name);
  for (const std::string_view word : {"step", "iter"}) {
    if (auto step = numberAfter(text, word)) return step;
  }
  constexpr std::string_view kTransformers = "checkpoint-";
  const std::size_t at = text.rfind(kTransformers);
  return at == std::string::npos ? std::nullopt : numberAt(text, at + kTransformers.size());
}

std::optional<std::uint64_t> epochOfName(std::string_view name) {
  return numberAfter(lower(name), "epoch");
}

std::optional<std::uint64_t> numberInName(std::string_view name) {
  const std::string_view stem = stemOf(name);
  std::size_t end = stem.size();
  while (end > 0 && !isDigit(stem[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && isDigit(stem[begin - 1])) --begin;
  return begin == end ? std::nullopt : numberAt(stem, begin);
}

bool isOptimizerFile(std::string_view path) {
  const std::string_view file = fileOf(path);
  if (endsInOne(file, kPickled)) return partOfName(stemOf(file)) == Part::Optimizer;
  // A folder of torch.distributed: "optimizer_0/__0_0.distcp".
  if (!file.ends_with(".distcp") && file != ".metadata") return false;
  for (std::string_view rest = path.substr(0, path.size() - file.size()); !rest.empty();) {
    const std::size_t end = rest.find('/');
    if (partOfName(rest.substr(0, end)) == Part::Optimizer) return true;
    rest.remove_prefix(end + 1);
  }
  return false;
}

bool isTrainingState(std::string_view path) {
  if (isOptimizerFile(path)) return true;
  const std::string_view file = fileOf(path);
  if (endsInOne(file, kPickled) && partOfName(stemOf(file)) == Part::State) return true;
  const bool isState = file.starts_with("random_states_") || file.starts_with("custom_checkpoint_");
  return file == "trainer_state.json" || (isState && file.ends_with(".pkl"));
}

}  // namespace strata
