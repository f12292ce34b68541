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

/// Whether a name has a word of its own that speaks of a model, as "optimizer_free_model" has.
bool namesModel(const std::string& name) {
  constexpr std::array<std::string_view, 6> kWords{"model",  "models", "weights",
                                                   "params", "net",    "network"};
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t at = name.find_first_of(kLetters); at != std::string::npos;) {
    const std::size_t end = std::min(name.find_first_not_of(kLetters, at), name.size());
    if (std::ranges::find(kWords, name.substr(at, end - at)) != kWords.end()) return true;
    at = name.find_first_of(kLetters, end);
  }
  return false;
}

/// Whether a name begins as those of optimizers do, and speaks of nothing else. What is taken for
/// an optimizer is left out of snapshots. So a name that may mean weights, too, is none.
bool namesOptimizer(std::string_view stem) {
  const std::string name = lower(stem);
  const bool isWhole = name.starts_with("optimizer");
  const bool isShort = name.starts_with("optim") &&
                       (name.size() == 5 ||
                        std::string_view("_-.0123456789").find(name[5]) != std::string_view::npos);
  return (isWhole || isShort) && !namesModel(name);
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
  const bool isOfTensors =
      endsInOne(file, kPickled) || file.ends_with(".safetensors") || file.ends_with(".npz");
  if (isOfTensors && namesOptimizer(stemOf(file))) return true;
  if (file.ends_with("optim_states.pt")) return true;
  // A folder of torch.distributed: "optimizer_0/__0_0.distcp".
  const bool isInFolder = path.starts_with("optimizer") || path.find("/optimizer") != path.npos;
  const bool isOfFolder = file.ends_with(".distcp") || file == ".metadata";
  return isOfFolder && isInFolder;
}

bool maySideWith(std::string_view name) {
  constexpr std::array<std::string_view, 4> kWords{"optim", "sched", "scaler", "rng"};
  const std::string text = lower(name);
  return isTrainingState(name) || std::ranges::any_of(kWords, [&](std::string_view word) {
           return text.find(word) != std::string::npos;
         });
}

bool isTrainingState(std::string_view path) {
  constexpr std::array<std::string_view, 4> kStarts{"scheduler", "scaler", "sampler", "rng_state"};
  if (isOptimizerFile(path)) return true;
  const std::string_view file = fileOf(path);
  const bool isNamedSo = std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) {
    return file.starts_with(start);
  });
  if (endsInOne(file, kPickled) && isNamedSo) return true;
  const bool isState = file.starts_with("random_states_") || file.starts_with("custom_checkpoint_");
  return file == "trainer_state.json" || (isState && file.ends_with(".pkl"));
}

}  // namespace strata
