#include "core/ops/fetch_remote.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/io/mapped_file.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/ops/version_matching.h"
#include "core/store/store_writer.h"
#include "core/text/json_text.h"
#include "core/text/wording.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/remote_config.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path fileOf(const fs::path& storeFolder, const std::string& name) {
  // No name begins with a dot.
  const std::string word =
      isRemoteUrl(name) ? ".url-" + toHex(sha256(std::as_bytes(std::span(name)))) : name;
  return storeFolder / "remotes" / (word + ".json");
}

Result<void> keep(const Store& store, const std::string& name, const RefListing& listing) {
  const fs::path file = fileOf(store.folder(), name);
  STRATA_TRY(makeStoreFolder(file.parent_path()));
  STRATA_TRY(std::string index, serializeRefIndex(RefIndex{listing.refs}));
  const nlohmann::json kept{
      {"fetched_at", currentTime()}, {"revision", listing.revision}, {"index", std::move(index)}};
  return writeFileWhole(store.folder() / "tmp", file, kept.dump());
}

}  // namespace

void keepFetched(const Store& store, const std::string& name, const RefListing& listing) {
  if (name.empty()) return;
  static_cast<void>(keep(store, name, listing));
}

Result<void> checkStillThere(const Store& store, const std::string& name, const std::string& url,
                             const RefListing& listing) {
  if (!listing.isNew || name.empty()) return {};
  // What was kept and is damaged is as if the remote was never asked.
  const auto kept = readFetched(store.folder(), name).value_or(std::nullopt);
  const std::size_t count = kept ? RemoteLibrary::from(kept->listing).versions.size() : 0;
  if (count == 0) return {};
  return fail(
      ErrorCode::NotFound,
      fmt::format(
          "{}: no remote is there, and it listed {} when it was last asked; it was deleted, or "
          "its share is not mounted; push --create makes it anew",
          url, wordCount(count, "version")));
}

Result<std::optional<FetchedListing>> readFetched(const fs::path& storeFolder,
                                                  const std::string& name) {
  const fs::path file = fileOf(storeFolder, name);
  auto mapped = MappedFile::open(file);
  if (!mapped && mapped.error().code == ErrorCode::NotFound) return std::nullopt;
  if (!mapped) return fail(std::move(mapped).error());
  const auto bytes = mapped->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  STRATA_TRY(const nlohmann::json kept, parseJson(text, file.string()));
  STRATA_TRY(RefIndex index, parseRefIndex(textMember(kept, "index").value_or(""), file.string()));
  return FetchedListing{{std::move(index.refs), textMember(kept, "revision").value_or("")},
                        static_cast<std::int64_t>(countMember(kept, "fetched_at").value_or(0))};
}

void renameFetched(const fs::path& storeFolder, const std::string& name,
                   const std::string& newName) {
  std::error_code ignored;
  fs::rename(fileOf(storeFolder, name), fileOf(storeFolder, newName), ignored);
}

void forgetFetched(const fs::path& storeFolder, const std::string& name) {
  std::error_code ignored;
  fs::remove(fileOf(storeFolder, name), ignored);
}

Result<FetchReport> fetchRemote(const Store& store, Transport& remote, const std::string& name,
                                std::stop_token stop) {
  // What was kept is only for telling what is new; damaged, everything is.
  const auto before = readFetched(store.folder(), name);
  STRATA_TRY(const RefListing listing, remote.readRefs(stop));
  STRATA_TRY(checkStillThere(store, name, remote.url(), listing));
  const RemoteLibrary library = RemoteLibrary::from(listing);
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
  FetchReport report;
  report.versionCount = library.versions.size();
  report.tagCount = library.tags.size();
  report.problems = library.problems;
  for (const RemoteVersion& version : library.versions) {
    const bool wasKnown =
        before && *before && (*before)->listing.refs.contains(refNameOf(version.ref));
    if (!wasKnown && matching.here(version) == nullptr) report.newVersions.push_back(version);
  }
  STRATA_TRY(keep(store, name, listing));
  return report;
}

}  // namespace strata
