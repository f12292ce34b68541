#include "onnx_io/checkpoint/finished_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>

#include "core/io/failed_as.h"
#include "core/io/mapped_file.h"
#include "core/model/trainer_state.h"
#include "onnx_io/checkpoint/file_wholeness.h"
#include "onnx_io/model_reader.h"
#include "onnx_io/torch/torch_archive.h"
#include "onnx_io/utf8.h"
#include "onnx_io/zip/zip_list.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSentinel = "checkpoint-is-incomplete.txt";
constexpr std::string_view kMetadata = ".metadata";
constexpr std::size_t kMostFiles = 100'000;
constexpr std::size_t kMostNameBytes = 200;
constexpr int kDeepest = 64;

/// What comes between `start` and `end` in a name, as a number.
std::optional<std::uint64_t> rankIn(std::string_view name, std::string_view start,
                                    std::string_view end) {
  if (!name.starts_with(start) || !name.ends_with(end)) return std::nullopt;
  if (name.size() <= start.size() + end.size()) return std::nullopt;
  const std::string_view digits =
      name.substr(start.size(), name.size() - start.size() - end.size());
  std::uint64_t rank = 0;
  const auto [stopped, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  const bool isNumber = status == std::errc{} && stopped == digits.data() + digits.size();
  return isNumber ? std::optional(rank) : std::nullopt;
}

/// The files of one checkpoint and the rules that they are held against. Each rule answers why the
/// checkpoint is unfinished; an empty text where nothing speaks against it.
class Checked {
 public:
  explicit Checked(fs::path root) : root_(std::move(root)) {}

  Result<void> list();
  Result<CheckpointState> judge();
  Result<CheckpointState> judgeFile();

 private:
  bool has(std::string_view name) const { return files_.contains(name); }
  bool hasLike(std::string_view start, std::string_view end) const;
  bool hasBelow(std::string_view start) const;
  CheckpointKind kind() const;
  std::string unfinishedTransformers(CheckpointState& state) const;
  std::string unfinishedAccelerate() const;
  std::string missingRandomState() const;
  std::string missingRank(std::string_view start, std::string_view end, std::size_t least) const;
  std::string unfinishedDistributed(CheckpointState& state) const;
  std::string missingShard(const std::string& metadata, bool& namesAny) const;
  std::string brokenFile() const;
  bool hasModel() const;
  bool isOfTexts() const;
  std::string unfinishedPlain() const;

  fs::path root_;
  std::set<std::string, std::less<>> files_;  ///< relative, with '/'
};

Result<void> Checked::list() {
  std::error_code problem;
  fs::recursive_directory_iterator at(root_, problem);
  while (!problem && at != fs::recursive_directory_iterator()) {
    std::error_code vanished;
    if (at->is_directory(vanished)) {
      if (at.depth() >= kDeepest) at.disable_recursion_pending();
    } else if (at->is_regular_file(vanished)) {
      files_.insert(at->path().lexically_relative(root_).generic_string());
      if (files_.size() > kMostFiles) {
        return fail(ErrorCode::LimitExceeded,
                    fmt::format("{}: holds more than {} files", root_.string(), kMostFiles));
      }
    }
    at.increment(problem);
  }
  if (!problem) return {};
  const bool isGone = failedAs(problem, std::errc::no_such_file_or_directory);
  return fail(isGone ? ErrorCode::NotFound : ErrorCode::Io,
              root_.string() + ": cannot be listed: " + problem.message());
}

bool Checked::hasLike(std::string_view start, std::string_view end) const {
  return std::any_of(files_.begin(), files_.end(), [&](const std::string& file) {
    return file.starts_with(start) && file.ends_with(end) && file.find('/') == std::string::npos;
  });
}

/// Whether a folder whose name begins so has a file in it.
bool Checked::hasBelow(std::string_view start) const {
  return std::any_of(files_.begin(), files_.end(), [&](const std::string& file) {
    return file.starts_with(start) && file.find('/') != std::string::npos;
  });
}

CheckpointKind Checked::kind() const {
  const bool isTransformers = has(kTrainerStateFile) || has(kSentinel) || has("optimizer.pt") ||
                              hasLike("rng_state", ".pth");
  if (isTransformers) return CheckpointKind::Transformers;
  // The first one of each has no number in its name.
  const bool isAccelerate = hasLike("random_states_", ".pkl") || has("optimizer.bin") ||
                            has("scheduler.bin") || has("sampler.bin");
  if (isAccelerate) return CheckpointKind::Accelerate;
  // Other trainers call their folders so, too: the files come before the name.
  if (has(kMetadata) || hasLike("__", ".distcp")) return CheckpointKind::Distributed;
  const std::string name = root_.filename().string();
  if (rankIn(name, "checkpoint-", "")) return CheckpointKind::Transformers;
  return CheckpointKind::Plain;
}

bool Checked::hasModel() const {
  return std::any_of(files_.begin(), files_.end(), [](const std::string& file) {
    if (isTrainingState(file) || file == "training_args.bin") return false;
    const auto endsIn = [&](std::string_view ending) { return file.ends_with(ending); };
    return endsIn(".safetensors") || endsIn(".bin") || endsIn(".pt") || endsIn(".distcp") ||
           endsIn(".pth") || endsIn(".ckpt") || endsIn(".npz");
  });
}

/// Ranks count from 0 on. `least`: so many there are at least once one is named by its number.
std::string Checked::missingRank(std::string_view start, std::string_view end,
                                 std::size_t least) const {
  std::set<std::uint64_t> ranks;
  for (const std::string& file : files_) {
    if (const auto rank = rankIn(file, start, end)) ranks.insert(*rank);
  }
  std::uint64_t expected = 0;
  for (const std::uint64_t rank : ranks) {
    if (rank != expected) break;
    ++expected;
  }
  if (expected == ranks.size() && expected >= least) return {};
  return fmt::format("{}{}{} is not there", start, expected, end);
}

std::string Checked::missingRandomState() const {
  if (has("rng_state.pth")) return {};
  if (!hasLike("rng_state_", ".pth")) return "rng_state.pth is not there";
  // One process writes rng_state.pth, without a number.
  return missingRank("rng_state_", ".pth", 2);
}

std::string Checked::unfinishedTransformers(CheckpointState& state) const {
  if (has(kSentinel)) return fmt::format("{} is there", kSentinel);
  if (!has(kTrainerStateFile)) {
    return fmt::format("{} is not there, which is written last", kTrainerStateFile);
  }
  const auto file = MappedFile::open(root_ / kTrainerStateFile);
  if (!file) return fmt::format("{} cannot be read", kTrainerStateFile);
  if (file->bytes().size() > kMostTrainerStateBytes) {
    return fmt::format("{} has {} bytes, at most {} are read", kTrainerStateFile,
                       file->bytes().size(), kMostTrainerStateBytes);
  }
  const auto said = parseTrainerState(
      {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()});
  if (!said && said.error().code == ErrorCode::Unsupported) return said.error().message;
  if (!said) return fmt::format("{} is cut or damaged", kTrainerStateFile);
  state.step = said->step;
  if (!hasModel()) return "no file of the model is there";
  const bool isSharded = hasBelow("optimizer_") || hasBelow("global_step");
  const bool hasOptimizer = isSharded || has("optimizer.pt") || has("optimizer.bin");
  const bool hasRest = has("scheduler.pt") || hasLike("rng_state", ".pth");
  if (!hasOptimizer) return hasRest ? "optimizer.pt is not there" : "";  // save_only_model
  if (!has("scheduler.pt") && !hasBelow("global_step")) return "scheduler.pt is not there";
  return missingRandomState();
}

std::string Checked::unfinishedAccelerate() const {
  if (std::string missing = missingRank("random_states_", ".pkl", 1); !missing.empty()) {
    return missing;
  }
  return hasModel() ? "" : "no file of the model is there";
}

/// Files that the text of a `.metadata` names. It is a pickle, which is searched and never run. The
/// file of a rank that had nothing to write is empty, and not named.
std::string Checked::missingShard(const std::string& metadata, bool& namesAny) const {
  constexpr std::string_view kEnding = ".distcp";
  const auto file = MappedFile::open(root_ / metadata);
  if (!file) return metadata + " cannot be read";
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  const std::string folder = metadata.substr(0, metadata.size() - kMetadata.size());
  for (std::size_t end = text.find(kEnding); end != std::string_view::npos;
       end = text.find(kEnding, end + kEnding.size())) {
    std::size_t begin = end;
    while (begin > 0 && end - begin < kMostNameBytes &&
           std::string_view("_0123456789").find(text[begin - 1]) != std::string_view::npos) {
      --begin;
    }
    const std::string shard(text.substr(begin, end + kEnding.size() - begin));
    if (!shard.starts_with("__")) continue;
    namesAny = true;
    if (!has(folder + shard)) return folder + shard + " is not there";
    std::error_code status;
    if (fs::file_size(root_ / (folder + shard), status) == 0) return folder + shard + " is empty";
  }
  return {};
}

/// In each folder that has parts of one.
std::string Checked::unfinishedDistributed(CheckpointState& state) const {
  std::set<std::string> folders;
  for (const std::string& file : files_) {
    const std::size_t name = file.rfind('/') + 1;  // npos + 1 is 0
    const bool isPart = file.ends_with(".distcp") || file.substr(name) == kMetadata;
    if (isPart) folders.insert(file.substr(0, name));
  }
  for (const std::string& folder : folders) {
    const std::string metadata = folder + std::string(kMetadata);
    if (!has(metadata)) return metadata + " is not there, which is written last";
    bool namesAny = false;
    if (std::string missing = missingShard(metadata, namesAny); !missing.empty()) return missing;
    if (namesAny) state.listedShards.insert(folder);
  }
  return {};
}

/// Where files alone tell what it is.
std::string Checked::unfinishedPlain() const {
  if (isOfTexts()) return "has no file that may hold a model";
  const bool hasOptimizer = std::ranges::any_of(files_, isOptimizerFile);
  if (hasOptimizer && !hasModel()) return "no file of the model is there";
  std::map<std::string_view, std::size_t> checkpoints;  // by the folder that they lie in
  for (const std::string& file : files_) {
    const std::size_t end = file.rfind('/') + 1;  // npos + 1 is 0
    const std::string_view name = std::string_view(file).substr(end);
    const bool isOne = name.ends_with(".ckpt") || name == "last.pt" || name == "best.pt";
    if (isOne) ++checkpoints[std::string_view(file).substr(0, end)];
  }
  for (const auto& [folder, count] : checkpoints) {
    if (folder.empty() || count < 2) continue;
    return fmt::format("holds {} checkpoints in {}, and is none itself", count,
                       toUtf8(folder, kMostNameBytes));
  }
  return {};
}

/// As the folders that trainers log to.
bool Checked::isOfTexts() const {
  constexpr std::array<std::string_view, 10> kTexts{".txt", ".json", ".jsonl", ".yaml", ".yml",
                                                    ".csv", ".log",  ".md",    ".png",  ".toml"};
  return std::ranges::all_of(files_, [&](const std::string& file) {
    const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
    if (name.starts_with("events.out.tfevents")) return true;
    return std::ranges::any_of(kTexts, [&](std::string_view end) { return name.ends_with(end); });
  });
}

std::string Checked::brokenFile() const {
  for (const std::string& name : files_) {
    const std::string shown = toUtf8(name, kMostNameBytes);
    const auto file = MappedFile::open(root_ / name);
    if (!file && file.error().code == ErrorCode::NotFound) return shown + " has vanished";
    if (!file) return shown + " cannot be read";
    const std::string why = brokenBecause(name, file->bytes());
    if (!why.empty()) return shown + " " + why;
    if (file->hasFailed()) return shown + " cannot be read";
  }
  return {};
}

Result<CheckpointState> Checked::judge() {
  CheckpointState state{.kind = kind(), .step = stepOfName(root_.filename().string())};
  state.mayGrow = state.kind == CheckpointKind::Plain || state.kind == CheckpointKind::Accelerate ||
                  hasLike("rng_state_", ".pth");
  if (files_.empty()) state.unfinished = "has no files";
  if (!files_.empty() && state.kind == CheckpointKind::Plain) state.unfinished = unfinishedPlain();
  if (state.kind == CheckpointKind::Transformers) state.unfinished = unfinishedTransformers(state);
  if (state.kind == CheckpointKind::Accelerate) state.unfinished = unfinishedAccelerate();
  if (state.isFinished()) state.unfinished = unfinishedDistributed(state);
  if (state.isFinished()) state.unfinished = brokenFile();
  return state;
}

/// A file of a checkpoint alone, or no file of a training at all, is none.
std::string unfitAlone(const std::string& name) {
  constexpr std::array<std::string_view, 7> kModels{".safetensors", ".pt",   ".pth", ".bin",
                                                    ".ckpt",        ".onnx", ".npz"};
  if (isTrainingState(name) || name.ends_with(".distcp") || name == "training_args.bin") {
    return "is a part of a checkpoint: what belongs to it lies beside it";
  }
  const bool isModel =
      std::ranges::any_of(kModels, [&](std::string_view ending) { return name.ends_with(ending); });
  return isModel ? "" : "is no file of a model";
}

/// The step that a file of torch.save says, as those of Lightning do.
std::optional<std::uint64_t> stepIn(std::span<const std::byte> file) {
  if (!looksLikeZip(file)) return std::nullopt;
  const auto list = listZip(file);
  if (!list || !TorchArchive::isOne(*list)) return std::nullopt;
  const auto archive = TorchArchive::open(file, *list);
  if (!archive) return std::nullopt;
  const PickleTree& tree = archive->tree();
  for (const std::string_view key : {"global_step", "step"}) {
    if (const auto step = tree.count(tree.member(tree.root(), key))) return step;
  }
  return std::nullopt;
}

Result<CheckpointState> Checked::judgeFile() {
  const std::string name = root_.filename().string();
  CheckpointState state{.step = stepOfName(name)};
  if (name.ends_with(".ckpt")) state.kind = CheckpointKind::Lightning;
  state.unfinished = unfitAlone(name);
  if (!state.isFinished()) return state;
  state.mayGrow = state.kind == CheckpointKind::Plain;
  STRATA_TRY(const MappedFile file, MappedFile::open(root_));
  state.unfinished = brokenBecause(name, file.bytes());
  if (state.isFinished() && file.bytes().empty()) state.unfinished = "is empty";
  if (!state.isFinished()) return state;
  if (const auto said = stepIn(file.bytes())) state.step = said;
  return state;
}

}  // namespace

Result<CheckpointState> checkCheckpoint(const fs::path& path) {
  // "runs/checkpoint-5/" is named as "runs/checkpoint-5".
  const fs::path named = path.has_filename() ? path : path.parent_path();
  std::error_code problem;
  const fs::file_type type = fs::status(named, problem).type();
  if (type == fs::file_type::not_found) {
    return fail(ErrorCode::NotFound, named.string() + ": no such file or folder");
  }
  Checked checked(named);
  if (type != fs::file_type::directory) return checked.judgeFile();
  STRATA_TRY(checked.list());
  return checked.judge();
}

std::vector<std::string> checkpointDoubts(const fs::path& path) {
  const fs::path named = path.has_filename() ? path : path.parent_path();
  std::vector<std::string> doubts;
  const auto look = [&](const fs::path& file, const std::string& shown) {
    const auto mapped = MappedFile::open(file);
    if (!mapped) return;
    const std::string why = doubtfulBecause(shown, mapped->bytes());
    if (why.empty()) return;
    doubts.push_back(fmt::format("{} is stored as it is, and may be spoilt: {}",
                                 toUtf8(shown, kMostNameBytes), why));
  };
  std::error_code problem;
  if (!fs::is_directory(named, problem)) {
    look(named, named.filename().string());
    return doubts;
  }
  fs::recursive_directory_iterator at(named, problem);
  while (!problem && at != fs::recursive_directory_iterator()) {
    std::error_code vanished;
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    if (at->is_regular_file(vanished)) {
      look(at->path(), at->path().lexically_relative(named).generic_string());
    }
    at.increment(problem);
  }
  std::ranges::sort(doubts);
  return doubts;
}

CheckpointTools checkpointTools() {
  return {
      .check = checkCheckpoint,
      .open =
          [](const fs::path& path) { return openModel(path, Links::Confined, {}, Foreign::Kept); },
      .doubts = checkpointDoubts};
}

}  // namespace strata
