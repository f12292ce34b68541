#include "core/ops/runs/detail/checkpoint_scan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "core/io/os_error.h"
#include "core/model/checkpoint.h"
#include "core/text/natural_order.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

bool mayBeCheckpoint(const std::string& name, fs::file_type type) {
  constexpr std::array<std::string_view, 5> kEndings{".safetensors", ".pt", ".pth", ".bin",
                                                     ".onnx"};
  if (name.empty() || name.front() == '.') return false;
  const bool hasNumber = numberInName(name) || stepOfName(name);
  if (type == fs::file_type::directory) return hasNumber;
  if (type != fs::file_type::regular) return false;
  const bool isOfKind = std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
    return name.ends_with(ending);
  });
  return name.ends_with(".ckpt") || (isOfKind && hasNumber);
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

/// In the order of names, whatever the file system's is.
std::string stampOf(const fs::path& place) {
  std::vector<std::string> lines(1);
  addStamp(place, ".", lines.front());
  std::error_code problem;
  if (!fs::is_directory(fs::symlink_status(place, problem))) return lines.front();
  lines.front().clear();  // a folder's own times say nothing that its names do not
  fs::recursive_directory_iterator at(place, problem);
  while (!problem && at != fs::recursive_directory_iterator()) {
    std::error_code vanished;
    if (!at->is_directory(vanished)) {
      lines.emplace_back();
      addStamp(at->path(), at->path().lexically_relative(place).generic_string(), lines.back());
    }
    at.increment(problem);
  }
  std::sort(lines.begin(), lines.end());
  std::string stamp;
  for (const std::string& line : lines) stamp += line;
  return stamp;
}

/// What orders them: the step, else the number in the name.
std::uint64_t orderOf(const CheckpointPlace& place) {
  if (place.step) return *place.step;
  return numberInName(place.path.filename().string()).value_or(0);
}

}  // namespace

Result<std::vector<CheckpointPlace>> scanCheckpoints(const fs::path& folder) {
  std::vector<CheckpointPlace> places;
  std::error_code problem;
  fs::directory_iterator at(folder, problem);
  while (!problem && at != fs::directory_iterator()) {
    std::error_code vanished;
    const std::string name = at->path().filename().string();
    if (mayBeCheckpoint(name, at->symlink_status(vanished).type())) {
      places.push_back({.path = at->path(), .step = stepOfName(name)});
    }
    at.increment(problem);
  }
  if (problem) return fail(osError(folder, "list", problem.value()));
  for (CheckpointPlace& place : places) place.stamp = stampOf(place.path);
  std::sort(places.begin(), places.end(), [](const auto& left, const auto& right) {
    if (orderOf(left) != orderOf(right)) return orderOf(left) < orderOf(right);
    return comesBefore(left.path.filename().string(), right.path.filename().string());
  });
  return places;
}

}  // namespace strata
