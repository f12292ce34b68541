#include "core/config/store_trust.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "core/config/toml_file.h"
#include "core/config/user_folders.h"
#include "core/digest.h"
#include "core/io/folder_mutex.h"
#include "core/io/store_modes.h"
#include "core/io/text_file.h"
#include "core/text/command_words.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path realFolder(const fs::path& folder) {
  std::error_code status;
  const fs::path real = fs::weakly_canonical(fs::absolute(folder, status), status);
  return real.has_filename() ? real : real.parent_path();
}

/// The id in store.toml; empty where it says none.
std::string storeId(const fs::path& folder) {
  const auto text = readTomlText(folder / "store.toml");
  if (!text) return {};
  const auto table = parseToml(*text, folder / "store.toml");
  return table ? (*table)["id"].value_or(std::string{}) : std::string{};
}

StoreStatement readStatement(const toml::table& table) {
  return {table["what"].value_or(std::string{}), table["says"].value_or(std::string{}),
          table["sha256"].value_or(std::string{})};
}

TrustedStore readStore(const toml::table& table) {
  TrustedStore store{
      table["folder"].value_or(std::string{}), table["id"].value_or(std::string{}), {}};
  if (const toml::array* const statements = table["confirmed"].as_array()) {
    for (const toml::node& statement : *statements) {
      if (statement.is_table()) store.statements.push_back(readStatement(*statement.as_table()));
    }
  }
  return store;
}

toml::table tableOf(const TrustedStore& store) {
  toml::array statements;
  for (const StoreStatement& statement : store.statements) {
    statements.push_back(toml::table{
        {"what", statement.what}, {"says", statement.says}, {"sha256", statement.sha256}});
  }
  return toml::table{
      {"folder", store.folder.string()}, {"id", store.id}, {"confirmed", std::move(statements)}};
}

Result<void> saveTrust(const std::vector<TrustedStore>& stores) {
  toml::array tables;
  for (const TrustedStore& store : stores) tables.push_back(tableOf(store));
  std::ostringstream text;
  text << "# What you confirmed of stores; \"strata config trust\" writes this file.\n"
       << toml::table{{"store", std::move(tables)}} << "\n";
  return writeTextFile(trustFile(), text.str(), 0600);
}

/// Held from listTrust() to saveTrust().
Result<FolderMutex> lockTrust() {
  const fs::path folder = trustFile().parent_path();
  STRATA_TRY(const bool isNew, makeStoreFolder(folder));
  // Secrets may come to lie beside the list.
  if (isNew) ::chmod(folder.c_str(), S_IRWXU);
  return FolderMutex::take(folder);
}

}  // namespace

StoreStatement StoreStatement::make(std::string what, std::string_view value, std::string says) {
  const std::string exact = fmt::format("{}\n{}", what, value);
  return {std::move(what), std::move(says), toHex(strata::sha256(std::as_bytes(std::span(exact))))};
}

bool TrustedStore::confirms(const StoreStatement& statement) const noexcept {
  return std::any_of(statements.begin(), statements.end(), [&](const StoreStatement& one) {
    return one.what == statement.what && one.sha256 == statement.sha256;
  });
}

fs::path trustFile() { return userFolders().config / "trust.toml"; }

Result<std::vector<TrustedStore>> listTrust() {
  STRATA_TRY(const std::string text, readTomlText(trustFile()));
  STRATA_TRY(const toml::table file, parseToml(text, trustFile()));
  std::vector<TrustedStore> stores;
  if (const toml::array* const tables = file["store"].as_array()) {
    for (const toml::node& table : *tables) {
      if (table.is_table()) stores.push_back(readStore(*table.as_table()));
    }
  }
  return stores;
}

Result<TrustedStore> trustOf(const fs::path& storeFolder) {
  TrustedStore wanted{realFolder(storeFolder), storeId(storeFolder), {}};
  STRATA_TRY(std::vector<TrustedStore> stores, listTrust());
  for (TrustedStore& store : stores) {
    if (store.folder == wanted.folder && store.id == wanted.id) return std::move(store);
  }
  return wanted;
}

Result<void> confirmStatements(const fs::path& storeFolder,
                               std::span<const StoreStatement> statements) {
  STRATA_TRY(TrustedStore trusted, trustOf(storeFolder));
  const auto isKnown = [&](const StoreStatement& statement) { return trusted.confirms(statement); };
  if (std::all_of(statements.begin(), statements.end(), isKnown)) return {};
  STRATA_TRY(const FolderMutex lock, lockTrust());
  STRATA_TRY(trusted, trustOf(storeFolder));
  for (const StoreStatement& statement : statements) {
    std::erase_if(trusted.statements,
                  [&](const StoreStatement& one) { return one.what == statement.what; });
    trusted.statements.push_back(statement);
  }
  STRATA_TRY(std::vector<TrustedStore> stores, listTrust());
  std::erase_if(stores, [&](const TrustedStore& one) { return one.folder == trusted.folder; });
  stores.push_back(std::move(trusted));
  return saveTrust(stores);
}

Result<bool> forgetTrust(const fs::path& storeFolder) {
  STRATA_TRY(const FolderMutex lock, lockTrust());
  STRATA_TRY(std::vector<TrustedStore> stores, listTrust());
  const fs::path folder = realFolder(storeFolder);
  const std::size_t dropped =
      std::erase_if(stores, [&](const TrustedStore& one) { return one.folder == folder; });
  if (dropped == 0) return false;
  STRATA_TRY(saveTrust(stores));
  return true;
}

Error notConfirmed(const fs::path& file, const StoreStatement& statement) {
  return {ErrorCode::InvalidArgument,
          fmt::format("{}: {} = {}: a store's own word does not count before you confirm it; "
                      "\"strata config trust {}\" shows and confirms it",
                      file.string(), statement.what, statement.says,
                      shellWord(file.parent_path().string()))};
}

}  // namespace strata
