#include "cli/words/reference_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/ops/exchange/remote_reference.h"
#include "core/text/printable.h"

namespace strata::cli {
namespace {

using Words = std::vector<std::reference_wrapper<std::string>>;

/// Those that read `REMOTE/REF`.
bool readsRemotes(std::string_view command) {
  constexpr std::array<std::string_view, 7> kCommands{"diff",    "pull", "push",      "remove",
                                                      "restore", "show", "tag remove"};
  return std::find(kCommands.begin(), kCommands.end(), command) != kCommands.end();
}

/// Names of versions to be, and patterns for stored names alone, are no references.
bool isReference(const Argument& argument, std::string_view command) {
  if (argument.spelling == "GLOB" || command == "add" || command == "import") {
    return argument.spelling == "--base";
  }
  return argument.completes == Completes::References || argument.completes == Completes::Names;
}

void addWords(const ArgumentTarget& target, Words& words) {
  const auto add = [&](std::string& word) {
    if (word.find('/') != word.npos || isSaidStored(word)) words.emplace_back(word);
  };
  if (auto* const* one = std::get_if<std::string*>(&target)) add(**one);
  if (auto* const* one = std::get_if<std::optional<std::string>*>(&target); one && **one) {
    add(***one);
  }
  if (auto* const* all = std::get_if<std::vector<std::string>*>(&target)) {
    for (std::string& word : **all) add(word);
  }
}

/// Patterns for stored names, and references to the trash alone.
bool isStoredOnly(const Argument& argument, std::string_view command) {
  return argument.spelling == "GLOB" || ((command == "trash restore" || command == "trash empty") &&
                                         argument.spelling == "REF...");
}

void warn(Context& context, const std::string& name, const std::string& remote) {
  context.output().warning(
      printable(fmt::format("{0} is alike in the store and on the remote {1}: \":{0}\" will mean "
                            "the store's, \"{1}//{2}\" the remote's",
                            name, remote, name.substr(remote.size() + 1))));
}

void warnOfOneWord(Context& context, const std::string& word) {
  context.output().warning(printable(
      fmt::format("{0} is a name in the store and a remote, too: where a command takes both, {0} "
                  "means the remote and \":{0}\" the name",
                  word)));
}

}  // namespace

Outcome settleReferences(Context& context, std::string_view command, const Arguments& arguments) {
  Words words;
  for (const Argument& argument : arguments.all()) {
    if (isReference(argument, command)) addWords(argument.target, words);
  }
  Words storedOnly;
  for (const Argument& argument : arguments.all()) {
    if (isStoredOnly(argument, command)) addWords(argument.target, storedOnly);
  }
  for (std::string& word : storedOnly) word = storedWord(word);
  if (words.empty()) return ExitCode::Done;
  const auto folder = context.storeFolder();
  const auto remotes = folder ? RemoteList::load(*folder) : fail(ErrorCode::NoStore, "");
  // Whatever is wrong with the store or its remotes, the command says itself.
  if (remotes && !remotes->remotes.empty()) {
    const auto store = context.openStore();
    for (const std::string& word : words) {
      if (store) STRATA_TRY(checkMeansOne((*store)->catalog(), *remotes, word));
      const auto there = readRemoteReference(*remotes, word);
      if (!there || !isSaidRemote(*remotes, word) || readsRemotes(command)) continue;
      return usage(
          fmt::format("{}: is a version of the remote {}; {} works with versions of this "
                      "store",
                      word, there->remote, command));
    }
  }
  if (readsRemotes(command)) return ExitCode::Done;
  for (std::string& word : words) word = storedWord(word);
  return ExitCode::Done;
}

Result<RemoteList> remotesFor(const std::filesystem::path& storeFolder,
                              const std::vector<std::string>& words) {
  auto list = RemoteList::load(storeFolder);
  const bool isAnyMeant = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return !word.starts_with(':') && word.find('/') != word.npos;
  });
  if (!list && !isAnyMeant) return RemoteList{};
  return list;
}

std::string plainWord(Context& context, const std::string& word) {
  const auto folder = context.storeFolder();
  const auto remotes = folder ? RemoteList::load(*folder) : fail(ErrorCode::NoStore, "");
  return remotes && readRemoteReference(*remotes, word) ? ":" + word : word;
}

void warnOfAlikeRemote(Context& context, const std::string& name) {
  const auto folder = context.storeFolder();
  const auto remotes = folder ? RemoteList::load(*folder) : fail(ErrorCode::NoStore, "");
  const auto there = remotes ? readRemoteReference(*remotes, name) : std::nullopt;
  if (there) return warn(context, name, there->remote);
  const auto isIt = [&](const RemoteConfig& remote) { return remote.name == name; };
  if (remotes && std::ranges::any_of(remotes->remotes, isIt)) warnOfOneWord(context, name);
}

void warnOfAlikeNames(Context& context, const std::string& remote) {
  const auto store = context.openStore();
  const auto versions = store ? (*store)->catalog().versions() : fail(ErrorCode::NoStore, "");
  if (!versions) return;
  for (const VersionEntry& version : *versions) {
    if (version.name == remote) return warnOfOneWord(context, remote);
    if (!version.name.starts_with(remote + "/")) continue;
    return warn(context, version.name, remote);
  }
}

}  // namespace strata::cli
