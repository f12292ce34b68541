#include "core/ops/runs/detail/checkpoint_scan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <string_view>
#include <system_error>

#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/model/checkpoint.h"
#include "core/model/trainer_state.h"
#include "core/text/natural_order.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

bool endsInOneOf(std::string_view name, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view one) { return name.ends_with(one); });
}

bool mayBeCheckpoint(const std::string& name, fs::file_type type) {
  constexpr std::array<std::string_view, 6> kEndings{".safetensors", ".pt",   ".pth",
                                                     ".bin",         ".onnx", ".npz"};
  constexpr std::array<std::string_view, 4> kLast{"last.pt", "last.pth", "latest.pt", "latest.pth"};
  if (name.empty() || name.front() == '.') return false;
  const bool hasNumber = numberInName(name) || stepOfName(name);
  if (type == fs::file_type::directory) return hasNumber;
  if (type != fs::file_type::regular) return false;
  if (name.ends_with(".ckpt") || std::ranges::find(kLast, name) != kLast.end()) return true;
  return endsInOneOf(name, kEndings) && hasNumber;
}

void addStamp(const fs::path& file, std::string_view name, std::string& stamp) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) {
    stamp += fmt::format("{}:gone\n", name);
    return;
  }
  stamp += fmt::format("{}:{}:{}:{}.{}\n", name, status.st_ino, status.st_size,
                       status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string joined(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  std::string stamp;
  for (const std::string& line : lines) stamp += line;
  return stamp;
}

/// Whether it is the file that a store or a remote is known by.
bool isOfStore(const fs::path& file) {
  if (file.filename() != "store.toml" && file.filename() != "strata.json") return false;
  std::error_code status;
  return fs::is_directory(file.parent_path() / "objects", status);
}

/// In the order of names, whatever the file system's is. Nothing where a store lies in it.
std::optional<std::string> stampUnlessStore(const fs::path& place) {
  std::vector<std::string> lines;
  std::error_code problem;
  if (!fs::is_directory(fs::symlink_status(place, problem))) return stampOf(std::vector{place});
  fs::recursive_directory_iterator at(place, problem);
  while (!problem && at != fs::recursive_directory_iterator()) {
    std::error_code vanished;
    if (isOfStore(at->path())) return std::nullopt;
    // A folder's own times say nothing that its names do not.
    if (!at->is_directory(vanished)) {
      lines.emplace_back();
      addStamp(at->path(), at->path().lexically_relative(place).generic_string(), lines.back());
    }
    at.increment(problem);
  }
  return joined(std::move(lines));
}

std::optional<std::uint64_t> numberOf(const CheckpointPlace& place) {
  return place.step ? place.step : numberInName(place.path.filename().string());
}

/// Makes one place of the files of one number where some are training state and some are not.
void joinNumbered(std::vector<CheckpointPlace>& places) {
  std::map<std::uint64_t, std::vector<fs::path>> byNumber;
  std::map<fs::path, std::optional<std::uint64_t>> steps;
  std::set<fs::path> joinedOnes;
  for (const CheckpointPlace& place : places) {
    std::error_code vanished;
    const auto number = numberOf(place);
    const bool isWhole = place.path.extension() == ".ckpt";
    if (!number || isWhole || fs::is_directory(place.path, vanished)) continue;
    byNumber[*number].push_back(place.path);
    steps[place.path] = place.step;
  }
  std::vector<CheckpointPlace> wholes;
  for (auto& entry : byNumber) {
    std::vector<fs::path>& files = entry.second;
    std::ranges::sort(files);
    const auto isState = [](const fs::path& file) { return maySideWith(file.filename().string()); };
    const auto model = std::ranges::find_if_not(files, isState);
    if (model == files.end() || std::ranges::none_of(files, isState)) continue;
    CheckpointPlace whole{.path = *model};
    for (const fs::path& file : files) {
      if (steps[file]) whole.step = steps[file];
    }
    joinedOnes.insert(files.begin(), files.end());
    whole.files = std::move(files);
    wholes.push_back(std::move(whole));
  }
  std::erase_if(places, [&](const auto& place) { return joinedOnes.contains(place.path); });
  std::ranges::move(wholes, std::back_inserter(places));
}

/// What a trainer of transformers says in a folder.
std::optional<std::uint64_t> stepSaidIn(const fs::path& folder) {
  const auto file = MappedFile::open(folder / kTrainerStateFile);
  if (!file || file->bytes().size() > kMostTrainerStateBytes) return std::nullopt;
  const auto bytes = file->bytes();
  const auto state = parseTrainerState({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return state ? std::optional(state->step) : std::nullopt;
}

}  // namespace

std::string stampOf(const std::vector<fs::path>& files) {
  std::vector<std::string> lines(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    addStamp(files[i], files[i].filename().string(), lines[i]);
  }
  return joined(std::move(lines));
}

std::string stampOf(const fs::path& place) { return stampUnlessStore(place).value_or(""); }

std::optional<std::uint64_t> CheckpointScan::stepOf(const CheckpointPlace& place) {
  auto& [stamp, step] = steps_[place.path.string()];
  if (stamp != place.stamp || stamp.empty()) {
    stamp = place.stamp;
    step = stepSaidIn(place.path);
    if (!step && !place.step) step = stepInFile(place);
  }
  return step ? step : place.step;
}

std::optional<std::uint64_t> CheckpointScan::stepInFile(const CheckpointPlace& place) const {
  std::error_code vanished;
  const bool isAsked = tools_ != nullptr && tools_->check && place.files.empty() &&
                       fs::is_regular_file(place.path, vanished);
  if (!isAsked) return std::nullopt;
  const auto state = tools_->check(place.path);
  return state && state->isFinished() ? state->step : std::nullopt;
}

Result<std::vector<CheckpointPlace>> CheckpointScan::look() {
  std::vector<CheckpointPlace> places;
  std::error_code problem;
  fs::directory_iterator at(folder_, problem);
  while (!problem && at != fs::directory_iterator()) {
    std::error_code vanished;
    const std::string name = at->path().filename().string();
    if (mayBeCheckpoint(name, at->symlink_status(vanished).type())) {
      places.push_back({.path = at->path(), .step = stepOfName(name)});
    }
    at.increment(problem);
  }
  if (problem) return fail(osError(folder_, "list", problem.value()));
  joinNumbered(places);
  std::erase_if(places, [](CheckpointPlace& place) {
    auto stamp = place.files.empty() ? stampUnlessStore(place.path) : stampOf(place.files);
    if (stamp) place.stamp = std::move(*stamp);
    return !stamp;
  });
  for (CheckpointPlace& place : places) place.step = stepOf(place);
  std::set<std::string> names;
  for (const CheckpointPlace& place : places) names.insert(place.path.string());
  std::erase_if(steps_, [&](const auto& known) { return !names.contains(known.first); });
  std::ranges::sort(places, [](const CheckpointPlace& left, const CheckpointPlace& right) {
    const std::uint64_t first = numberOf(left).value_or(0);
    const std::uint64_t second = numberOf(right).value_or(0);
    if (first != second) return first < second;
    return comesBefore(left.path.filename().string(), right.path.filename().string());
  });
  return places;
}

}  // namespace strata
