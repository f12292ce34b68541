#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "cli/context.h"
#include "core/ops/exchange/remote_reference.h"
#include "core/ops/versions/trash.h"
#include "core/store/objects/awaited_packs.h"
#include "core/text/command_words.h"
#include "core/text/suggest.h"

namespace strata::cli {

namespace fs = std::filesystem;

namespace {

/// Whether a file or folder is missing, and no version.
bool isOfPath(const Error& error) {
  constexpr std::array kWords{"No such file",    "no such file",   "no such folder",
                              "Not a directory", "does not exist", "no git repository"};
  return std::any_of(kWords.begin(), kWords.end(), [&](const char* words) {
    return error.message.find(words) != std::string::npos;
  });
}

}  // namespace

std::string Context::nearName(const std::vector<std::string>& words, const Error& error) const {
  if (!store_) return {};
  const auto versions = store_->catalog().versions();
  if (!versions) return {};
  std::vector<std::string> names;
  for (const VersionEntry& version : *versions) names.push_back(version.name);
  for (const std::string& said : words) {
    const std::string word = storedWord(said);
    const std::string name = word.substr(0, word.find_first_of(":~"));
    if (error.message.find('"' + name + '"') == std::string::npos) continue;
    const bool isStored = std::find(names.begin(), names.end(), name) != names.end();
    std::string found = isStored || name.empty() ? std::string{} : nearest(name, names);
    if (!found.empty()) return found;
  }
  return {};
}

std::string Context::wayBackOf(const std::vector<std::string>& words, const Error& error) const {
  if (!store_) return {};
  for (const std::string& said : words) {
    const std::string word = storedWord(said);
    const auto version = store_->resolve(word);
    const auto awaited = version ? awaitedBy(*store_, *version) : std::nullopt;
    if (awaited) return pullCommand(*awaited);
    if (version || error.message.find(word + ": ") == std::string::npos) continue;
    if (std::string command = trashCommand("restore", {word}); !command.empty()) return command;
  }
  return {};
}

std::string Context::trashCommand(std::string_view verb,
                                  const std::vector<std::string>& references) const {
  if (!store_) return {};
  std::string command = fmt::format("strata trash {}", verb);
  for (const std::string& reference : references) {
    const auto found = findRemoved(store_->catalog(), storedWord(reference));
    if (!found) return {};
    command += " " + found->label();
  }
  return command;
}

std::string Context::storeAdvice() const {
  if (!storeLocation_) return {};
  const fs::path& folder = storeLocation_->folder;
  const bool isFree = hasRoomForStore(folder);
  if (storeLocation_->origin == StoreLocation::Origin::Default) return "strata init";
  if (isFree) return "strata init " + shellWord(folder.string());
  std::error_code status;
  if (fs::exists(folder, status) && !fs::is_directory(folder, status)) return {};
  const fs::path inner = folder / ".strata";
  if (Store::isStore(inner)) return "the same command with -C " + shellWord(inner.string());
  return hasRoomForStore(inner) ? "strata init " + shellWord(inner.string()) : std::string{};
}

std::string Context::spaceAdvice(const fs::path& output) const {
  if (!store_) return {};
  struct stat store {};
  struct stat written {};
  std::error_code status;
  fs::path place = output.empty() ? store_->folder() : fs::absolute(output, status);
  while (::stat(place.c_str(), &written) != 0 && place.has_relative_path()) {
    place = place.parent_path();
  }
  const bool isSameDisk =
      ::stat(store_->folder().c_str(), &store) == 0 && store.st_dev == written.st_dev;
  const auto trash = listTrash(*store_);
  return isSameDisk && trash && trash->freeableBytes > 0 ? "strata trash empty" : std::string{};
}

std::string Context::adviceFor(const Problem& problem) const {
  if (!problem.fix.empty() || !problem.adviceByCode) return problem.fix;
  // What a message advises itself is nearer to the cause.
  if (problem.error.message.find("\"strata ") != std::string::npos) return {};
  switch (problem.error.code) {
    case ErrorCode::NoStore:
      return storeAdvice();
    case ErrorCode::NotFound:
      return store_ && !isOfPath(problem.error) ? "strata list --versions" : "";
    case ErrorCode::StoreLocked: {
      // Only for the writer's lock is there a wait, and it says who has it.
      const bool isWaitedFor = problem.error.message.find(": locked by ") != std::string::npos;
      return isWaitedFor ? "the same command with --wait 600" : "";
    }
    case ErrorCode::BaseMismatch:
    case ErrorCode::CorruptData:
      return store_ ? "strata verify --full" : "";
    case ErrorCode::NoSpace:
      return spaceAdvice(problem.output);
    case ErrorCode::Device:
      return "the same command with --device auto";
    default:
      return {};
  }
}

}  // namespace strata::cli
