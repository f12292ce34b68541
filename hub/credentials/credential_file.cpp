#include "hub/credentials/credential_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/io/folder_mutex.h"
#include "core/text/json_text.h"
#include "hub/credentials/secret_file.h"

namespace strata::hub {
namespace {

using nlohmann::json;

Result<json> readEntries(const std::filesystem::path& file) {
  const auto text = readSecretFile(file);
  if (!text && text.error().code == ErrorCode::NotFound) return json::array();
  if (!text) return fail(text.error());
  auto parsed = parseJson(*text, file.string());
  if (parsed && parsed->is_object() && listMember(*parsed, "credentials").is_array()) {
    return listMember(*parsed, "credentials");
  }
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("{}: is not a file of credentials; remove it and log in again", file.string()));
}

Result<void> writeEntries(const std::filesystem::path& file, json entries) {
  const json document{{"credentials", std::move(entries)}};
  return writeSecretFile(file, document.dump(1) + "\n");
}

bool isOf(const json& entry, const CredentialQuery& query) {
  return textMember(entry, "service") == std::string(name(query.service)) &&
         textMember(entry, "host") == query.host && textMember(entry, "remote") == query.remote;
}

}  // namespace

Result<std::optional<Credential>> CredentialFile::find(const CredentialQuery& query) const {
  STRATA_TRY(const json entries, readEntries(file_));
  for (const json& entry : entries) {
    if (!entry.is_object() || !isOf(entry, query)) continue;
    return Credential{.user = textMember(entry, "user").value_or(""),
                      .secret = textMember(entry, "secret").value_or(""),
                      .source = file_.string(),
                      .isOurs = true};
  }
  return std::nullopt;
}

Result<void> CredentialFile::save(const CredentialQuery& query,
                                  const Credential& credential) const {
  STRATA_TRY(makeSecretFolder(file_.parent_path()));
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(file_.parent_path()));
  STRATA_TRY(const json entries, readEntries(file_));
  json kept = json::array();
  for (const json& entry : entries) {
    if (entry.is_object() && !isOf(entry, query)) kept.push_back(entry);
  }
  kept.push_back({{"service", name(query.service)},
                  {"host", query.host},
                  {"remote", query.remote},
                  {"user", credential.user},
                  {"secret", credential.secret}});
  return writeEntries(file_, std::move(kept));
}

Result<bool> CredentialFile::remove(const CredentialQuery& query) const {
  std::error_code status;
  if (!std::filesystem::exists(file_, status)) return false;
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(file_.parent_path()));
  STRATA_TRY(const json entries, readEntries(file_));
  json kept = json::array();
  for (const json& entry : entries) {
    if (!entry.is_object() || !isOf(entry, query)) kept.push_back(entry);
  }
  if (kept.size() == entries.size()) return false;
  STRATA_TRY(writeEntries(file_, std::move(kept)));
  return true;
}

}  // namespace strata::hub
