#include "core/transfer/remote_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "core/config/store_owner.h"
#include "core/config/toml_file.h"
#include "core/io/text_file.h"
#include "core/store/refs/reference.h"
#include "core/store/store_places.h"
#include "core/text/suggest.h"
#include "core/text/url_text.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "remotes.toml";

fs::path fileOf(const fs::path& storeFolder) { return storeFolder / kFileName; }

/// The keys that are texts, and where they go.
using TextKey = std::pair<const char*, std::string RemoteConfig::*>;
constexpr std::array<TextKey, 6> kTexts{TextKey{"url", &RemoteConfig::url},
                                        TextKey{"endpoint", &RemoteConfig::endpoint},
                                        TextKey{"ca_file", &RemoteConfig::caFile},
                                        TextKey{"client_cert", &RemoteConfig::clientCertificate},
                                        TextKey{"client_key", &RemoteConfig::clientKey},
                                        TextKey{"chunk", &RemoteConfig::chunk}};
using FlagKey = std::pair<const char*, bool RemoteConfig::*>;
constexpr std::array<FlagKey, 2> kFlags{FlagKey{"insecure", &RemoteConfig::insecure},
                                        FlagKey{"plain_http", &RemoteConfig::plainHttp}};

RemoteConfig readRemote(std::string name, const toml::table& table) {
  RemoteConfig remote{.name = std::move(name), .url = {}};
  for (const auto& [key, member] : kTexts) remote.*member = table[key].value_or(std::string{});
  for (const auto& [key, member] : kFlags) remote.*member = table[key].value_or(false);
  return remote;
}

toml::table tableOf(const RemoteConfig& remote) {
  toml::table table;
  for (const auto& [key, member] : kTexts) {
    if (!(remote.*member).empty()) table.insert(key, remote.*member);
  }
  for (const auto& [key, member] : kFlags) {
    if (remote.*member) table.insert(key, true);
  }
  return table;
}

/// All of a remote counts together: the same key means another thing for another URL.
StoreStatement statementOf(const RemoteConfig& remote) {
  std::string value;
  std::string says;
  const auto add = [&](std::string_view key, const std::string& text) {
    value += fmt::format("{}={}\n", key, text);
    says += fmt::format("{}{} = {:?}", says.empty() ? "" : ", ", key, withoutPassword(text));
  };
  for (const auto& [key, member] : kTexts) {
    if (!(remote.*member).empty()) add(key, remote.*member);
  }
  for (const auto& [key, member] : kFlags) {
    if (remote.*member) add(key, "true");
  }
  return StoreStatement::make("remote " + remote.name, value, std::move(says));
}

/// What the store wrote, and nobody asked for now.
Error damaged(Error error) {
  if (error.code != ErrorCode::InvalidArgument) return error;
  return {ErrorCode::CorruptData, std::move(error.message) +
                                      "; mend that, or move the file away and add its remotes "
                                      "again"};
}

Result<RemoteList> parseList(const fs::path& file, std::string_view text) {
  STRATA_TRY(const toml::table table, parseToml(text, file).map_error(damaged));
  RemoteList list;
  list.defaultName = table["default"].value_or(std::string{});
  if (const toml::table* const remotes = table["remote"].as_table()) {
    for (const auto& [name, value] : *remotes) {
      if (!value.is_table()) continue;
      list.remotes.push_back(readRemote(std::string(name.str()), *value.as_table()));
      const Result<void> checked = checkRemoteUrl(list.remotes.back().url);
      if (!checked) return fail(damaged(checked.error().within(file.string())));
    }
  }
  return list;
}

}  // namespace

Result<void> checkConfirmed(const RemoteConfig& remote) {
  if (remote.unconfirmed.empty()) return {};
  return fail(ErrorCode::InvalidArgument, remote.unconfirmed);
}

bool isRemoteUrl(std::string_view word) noexcept {
  return word.find("://") != std::string_view::npos;
}

Result<void> checkRemoteUrl(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == 0 || scheme == std::string_view::npos || scheme + 3 == url.size()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: is no URL of a remote", url));
  }
  if (authorityOf(url).find('@') == std::string_view::npos) return {};
  return fail(ErrorCode::InvalidArgument,
              "the URL holds a user name; credentials do not belong into URLs");
}

namespace {

/// What no list may come to hold.
Result<void> checkRemote(const RemoteConfig& remote) {
  STRATA_TRY(checkRemoteUrl(remote.url));
  if (authorityOf(remote.endpoint).find('@') == std::string_view::npos) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("remote {}: its endpoint holds a user name; credentials do not belong "
                          "into URLs",
                          remote.name));
}

}  // namespace

Result<RemoteList> RemoteList::load(const fs::path& storeFolder) {
  const fs::path file = fileOf(storeFolder);
  STRATA_TRY(checkStoreOwner(storeFolder));
  STRATA_TRY(const auto problem, placeProblem(file, PlaceKind::File));
  if (problem) return fail(ErrorCode::CorruptData, file.string() + ": " + *problem);
  STRATA_TRY(const std::string text, readStoreText(storeFolder, kFileName));
  STRATA_TRY(RemoteList list, parseList(file, text));
  STRATA_TRY(const TrustedStore trusted, trustOf(storeFolder));
  for (RemoteConfig& remote : list.remotes) {
    const StoreStatement statement = statementOf(remote);
    if (!trusted.confirms(statement)) remote.unconfirmed = notConfirmed(file, statement).message;
  }
  return list;
}

Result<std::vector<StoreStatement>> statementsOfRemotes(const fs::path& storeFolder) {
  STRATA_TRY(const std::string text, readTomlText(fileOf(storeFolder)).map_error(damaged));
  STRATA_TRY(const RemoteList list, parseList(fileOf(storeFolder), text));
  std::vector<StoreStatement> statements;
  for (const RemoteConfig& remote : list.remotes) statements.push_back(statementOf(remote));
  return statements;
}

Result<void> RemoteList::save(const fs::path& storeFolder) const {
  toml::table remoteTables;
  std::vector<StoreStatement> statements;
  for (const RemoteConfig& remote : remotes) {
    STRATA_TRY(checkRemote(remote));
    remoteTables.insert(remote.name, tableOf(remote));
    if (remote.unconfirmed.empty()) statements.push_back(statementOf(remote));
  }
  toml::table file;
  if (!defaultName.empty()) file.insert("default", defaultName);
  file.insert("remote", std::move(remoteTables));
  std::ostringstream text;
  text << "# Remotes of this store; \"strata remote\" writes this file. No secrets here.\n"
       << file << "\n";
  STRATA_TRY(confirmStatements(storeFolder, statements));
  return writeTextFile(fileOf(storeFolder), text.str());
}

Result<FolderMutex> RemoteList::lock(const fs::path& storeFolder) {
  return FolderMutex::take(storeFolder);
}

RemoteConfig* RemoteList::find(std::string_view name) noexcept {
  const auto found = std::find_if(remotes.begin(), remotes.end(),
                                  [&](const RemoteConfig& remote) { return remote.name == name; });
  return found == remotes.end() ? nullptr : &*found;
}

const RemoteConfig* RemoteList::find(std::string_view name) const noexcept {
  return const_cast<RemoteList*>(this)->find(name);  // NOLINT: changes nothing
}

Result<RemoteConfig> RemoteList::choose(std::string_view word) const {
  if (isRemoteUrl(word)) {
    STRATA_TRY(checkRemoteUrl(word));
    const auto known = std::find_if(remotes.begin(), remotes.end(), [&](const RemoteConfig& one) {
      return one.url == word && one.unconfirmed.empty();
    });
    if (known != remotes.end()) return *known;
    return RemoteConfig{.name = {}, .url = std::string(word)};
  }
  if (!word.empty()) {
    if (const RemoteConfig* const remote = find(word)) return *remote;
    std::vector<std::string> names;
    for (const RemoteConfig& remote : remotes) names.push_back(remote.name);
    return fail(ErrorCode::NotFound, fmt::format("there is no remote \"{}\"{}", word,
                                                 didYouMean(std::string(word), names)));
  }
  if (const RemoteConfig* const remote = find(defaultName)) return *remote;
  if (remotes.size() == 1) return remotes.front();
  return fail(ErrorCode::NotFound,
              remotes.empty()
                  ? "this store has no remote"
                  : fmt::format("which of the {} remotes? None is the default", remotes.size()));
}

}  // namespace strata
