#include "hub/serve/hub_api.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <strings.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text/json_text.h"
#include "core/text/wording.h"
#include "hub/git_blob.h"
#include "hub/serve/byte_range.h"

namespace strata::hub {
namespace {

using Json = nlohmann::ordered_json;

/// Words of a name that are looked for in a path.
constexpr std::size_t kMostNameWords = 4;
/// The one organization that repositories may be written with: some programs want "org/name".
constexpr std::string_view kOrganization = "strata";
/// Of a Host header that is refused.
constexpr std::size_t kMostShownHostBytes = 100;

WebAnswer document(const Json& json) {
  WebAnswer answer;
  answer.body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return answer;
}

/// Header lines must not break.
std::string oneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

WebAnswer refusal(int status, const char* code, const std::string& message) {
  WebAnswer answer = document({{"error", message}});
  answer.status = status;
  if (*code != '\0') answer.headers.emplace_back("X-Error-Code", code);
  answer.headers.emplace_back("X-Error-Message", oneLine(message));
  return answer;
}

/// `code` is for things that are not there.
WebAnswer failed(const Error& error, const char* code) {
  const bool isAbsent =
      error.code == ErrorCode::NotFound || error.code == ErrorCode::InvalidArgument;
  return isAbsent ? refusal(404, code, error.message) : refusal(500, "", error.message);
}

std::string timestamp(std::int64_t seconds) {
  std::string text = isoDate(seconds);
  return text.replace(text.size() - 1, 1, ".000Z");
}

/// The text that git would hold in place of a large file.
std::string pointerOf(const ServedFile& file) {
  return fmt::format("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n",
                     toHex(file.sha256), file.byteCount);
}

Json treeEntry(const ServedFile& file) {
  const std::string pointer = pointerOf(file);
  return {
      {"type", "file"},
      {"oid", gitBlobOid(pointer)},
      {"size", file.byteCount},
      {"lfs",
       {{"oid", toHex(file.sha256)}, {"size", file.byteCount}, {"pointerSize", pointer.size()}}},
      {"path", file.path}};
}

Json directoryEntry(const std::string& path) {
  return {{"type", "directory"}, {"oid", gitBlobOid(path)}, {"size", 0}, {"path", path}};
}

Json sibling(const ServedFile& file, bool withSizes) {
  Json entry{{"rfilename", file.path}};
  if (!withSizes) return entry;
  const std::string pointer = pointerOf(file);
  entry["size"] = file.byteCount;
  entry["blobId"] = gitBlobOid(pointer);
  entry["lfs"] = {
      {"sha256", toHex(file.sha256)}, {"size", file.byteCount}, {"pointerSize", pointer.size()}};
  return entry;
}

Json modelEntry(const VersionEntry& entry) {
  return {{"id", entry.name},
          {"modelId", entry.name},
          {"sha", commitOf(entry.contentDigest)},
          {"lastModified", timestamp(entry.addedAt)},
          {"private", false},
          {"gated", false},
          {"disabled", false},
          {"downloads", 0},
          {"likes", 0},
          {"tags", entry.tags}};
}

Json refEntry(const std::string& kind, const std::string& name, const Digest& content) {
  return {{"name", name},
          {"ref", fmt::format("refs/{}/{}", kind, name)},
          {"targetCommit", commitOf(content)}};
}

using PathSet = std::set<std::string, std::less<>>;

/// Each once, however often it is asked for.
Result<PathSet> pathsAskedFor(const WebRequest& request) {
  PathSet paths;
  if (request.header("Content-Type").starts_with("application/json")) {
    STRATA_TRY(const nlohmann::json asked, parseJson(request.body, "the body"));
    if (!anyMember(asked, "paths").is_array()) {
      return fail(ErrorCode::InvalidArgument, "expected {\"paths\": [...]}");
    }
    for (const nlohmann::json& path : listMember(asked, "paths")) {
      if (path.is_string()) paths.insert(path.get<std::string>());
    }
    return paths;
  }
  const auto form = readForm(request.body);
  if (!form) return fail(ErrorCode::InvalidArgument, "the form has a broken percent code");
  for (const auto& [key, value] : *form) {
    if (key == "paths") paths.insert(value);
  }
  return paths;
}

WebAnswer welcome() {
  WebAnswer answer;
  answer.contentType = "text/plain";
  answer.body =
      "Strata serves the models of a store here, read-only, as the Hugging Face Hub does.\n"
      "  HF_ENDPOINT=http://HOST:PORT hf download NAME\n"
      "  curl -O http://HOST:PORT/NAME/resolve/main/FILE\n"
      "What there is: /api/models\n";
  return answer;
}

std::string joined(const std::vector<std::string>& words, std::size_t begin, std::size_t end) {
  std::string text = words[begin];
  for (std::size_t i = begin + 1; i < end; ++i) text += "/" + words[i];
  return text;
}

}  // namespace

/// A repository: its name, its versions, and where in the path what is asked of it begins.
struct HubApi::Place {
  std::string name;
  std::vector<VersionEntry> versions;
  std::size_t next = 0;
};

HubApi::HubApi(ServedModels& models, std::string token, HostRule hosts)
    : models_(models), token_(std::move(token)), hosts_(std::move(hosts)) {}

/// Takes the same time whatever is wrong with the token.
bool HubApi::isAllowed(const WebRequest& request) const {
  if (token_.empty()) return true;
  const std::string given = request.header("Authorization");
  constexpr std::string_view kScheme = "Bearer ";
  // Names of schemes are so in any case (RFC 9110).
  const bool isBearer = ::strncasecmp(given.c_str(), kScheme.data(), kScheme.size()) == 0;
  return isBearer && given.size() == kScheme.size() + token_.size() &&
         CRYPTO_memcmp(given.data() + kScheme.size(), token_.data(), token_.size()) == 0;
}

WebAnswer HubApi::answer(const WebRequest& request) {
  const auto url = readUrlPath(request.target);
  if (!url) return refusal(400, "", "the path has a broken percent code");
  const std::string host = request.header("Host");
  if (!hosts_.allows(host)) {
    return refusal(421, "",
                   fmt::format("\"{}\" is no name of this server; its option --host allows one",
                               host.substr(0, kMostShownHostBytes)));
  }
  if (!isAllowed(request)) {
    const bool hasOne = !request.header("Authorization").empty();
    WebAnswer answer = refusal(
        401, "",
        hasOne ? "Invalid credentials in Authorization header" : "a token is needed: set HF_TOKEN");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"strata\"");
    return answer;
  }
  const bool isReading = request.method == "GET" || request.method == "HEAD";
  const bool isQuestion =
      request.method == "POST" && request.target.find("/paths-info/") != std::string::npos;
  if (!isReading && !isQuestion) {
    return refusal(403, "", "this endpoint is read-only: add models with strata add");
  }
  return route(request, *url);
}

WebAnswer HubApi::route(const WebRequest& request, const UrlPath& url) {
  const auto& words = url.segments;
  if (words.empty() || (words.size() == 1 && words.front().empty())) return welcome();
  if (words.front() != "api") return resolve(request, url);
  if (words.size() == 2 && words[1] == "whoami-v2") {
    return document(
        {{"type", "user"}, {"name", "strata"}, {"fullname", "strata"}, {"orgs", Json::array()}});
  }
  if (words.size() < 2 || words[1] != "models") return refusal(404, "", "no such page");
  return words.size() == 2 ? listModels(url) : aboutModel(request, url);
}

Result<HubApi::Place> HubApi::placeOf(const UrlPath& url, std::size_t first) const {
  const auto& words = url.segments;
  const bool hasOrganization = words.size() > first + 1 && words[first] == kOrganization;
  for (const std::size_t at : {first + 1, first}) {
    if (at > first && !hasOrganization) continue;
    // Of "org/model" and "org", both stored, the longer name is meant.
    for (std::size_t end = std::min(at + kMostNameWords, words.size()); end > at; --end) {
      const std::string name = joined(words, at, end);
      STRATA_TRY(auto versions, models_.versions(name));
      if (!versions.empty()) return Place{name, std::move(versions), end};
    }
  }
  return fail(ErrorCode::NotFound,
              fmt::format("there is no model \"{}\" in this store; /api/models lists them",
                          first < words.size() ? words[first] : ""));
}

WebAnswer HubApi::listModels(const UrlPath& url) const {
  const auto newest = models_.newest();
  if (!newest) return failed(newest.error(), "");
  Json models = Json::array();
  for (const VersionEntry& entry : *newest) {
    if (entry.name.find(url.value("search")) != std::string::npos) {
      models.push_back(modelEntry(entry));
    }
  }
  return document(models);
}

WebAnswer HubApi::aboutModel(const WebRequest& request, const UrlPath& url) {
  const auto place = placeOf(url, 2);
  if (!place) return failed(place.error(), "RepoNotFound");
  const auto& words = url.segments;
  const std::string what = place->next < words.size() ? words[place->next] : "";
  const std::string revision =
      place->next + 1 < words.size() ? words[place->next + 1] : std::string("main");
  if (what.empty()) return info(*place, "main", url.value("blobs") == "true");
  if (what == "revision") return info(*place, revision, url.value("blobs") == "true");
  if (what == "refs") return refs(*place);
  if (what == "commits") return commits(*place);
  if (what == "tree") {
    const std::string_view recursive = url.value("recursive");
    return tree(*place, url, recursive == "true" || recursive == "True" || recursive == "1");
  }
  if (what == "paths-info") return pathsInfo(*place, request);
  if (what.starts_with("xet-")) {
    return refusal(404, "", "Xet is not spoken here; set HF_HUB_DISABLE_XET=1");
  }
  return refusal(404, "", "no such page");
}

WebAnswer HubApi::refs(const Place& place) const {
  Json tags = Json::array();
  for (const VersionEntry& entry : place.versions) {
    tags.push_back(refEntry("tags", fmt::format("v{}", entry.number), entry.contentDigest));
    for (const std::string& tag : entry.tags) {
      tags.push_back(refEntry("tags", tag, entry.contentDigest));
    }
  }
  return document({{"branches", {refEntry("heads", "main", place.versions.back().contentDigest)}},
                   {"converts", Json::array()},
                   {"tags", std::move(tags)}});
}

WebAnswer HubApi::commits(const Place& place) const {
  Json list = Json::array();
  for (auto entry = place.versions.rbegin(); entry != place.versions.rend(); ++entry) {
    list.push_back({{"id", commitOf(entry->contentDigest)},
                    {"title", entry->label()},
                    {"message", entry->note},
                    {"authors", {{{"user", "strata"}}}},
                    {"date", timestamp(entry->addedAt)}});
  }
  return document(list);
}

WebAnswer HubApi::info(const Place& place, const std::string& revision, bool withSizes) {
  const auto entry = models_.resolve(place.name, revision);
  if (!entry) return failed(entry.error(), "RevisionNotFound");
  const auto version = models_.open(*entry);
  if (!version) return failed(version.error(), "");
  Json model = modelEntry(*entry);
  Json siblings = Json::array();
  for (const ServedFile& file : (*version)->files()) siblings.push_back(sibling(file, withSizes));
  model["siblings"] = std::move(siblings);
  return document(model);
}

WebAnswer HubApi::tree(const Place& place, const UrlPath& url, bool isRecursive) {
  const auto& words = url.segments;
  const std::string revision = place.next + 1 < words.size() ? words[place.next + 1] : "main";
  const auto entry = models_.resolve(place.name, revision);
  if (!entry) return failed(entry.error(), "RevisionNotFound");
  const auto version = models_.open(*entry);
  if (!version) return failed(version.error(), "");
  std::string folder = url.joined(std::min(place.next + 2, words.size()));
  if (!folder.empty() && folder.back() != '/') folder += '/';
  Json entries = Json::array();
  std::vector<std::string> folders;
  for (const ServedFile& file : (*version)->files()) {
    if (!file.path.starts_with(folder)) continue;
    const std::size_t slash = file.path.find('/', folder.size());
    if (isRecursive || slash == std::string::npos) {
      entries.push_back(treeEntry(file));
      continue;
    }
    const std::string inner = file.path.substr(0, slash);
    if (std::find(folders.begin(), folders.end(), inner) != folders.end()) continue;
    folders.push_back(inner);
    entries.push_back(directoryEntry(inner));
  }
  if (entries.empty() && !folder.empty()) {
    return refusal(404, "EntryNotFound", fmt::format("there is no folder \"{}\"", folder));
  }
  return document(entries);
}

/// Asked for as a form (Python) or as JSON (JavaScript). Unknown paths are left out.
WebAnswer HubApi::pathsInfo(const Place& place, const WebRequest& request) {
  const auto url = readUrlPath(request.target);
  const std::string revision =
      place.next + 1 < url->segments.size() ? url->segments[place.next + 1] : "main";
  const auto entry = models_.resolve(place.name, revision);
  if (!entry) return failed(entry.error(), "RevisionNotFound");
  const auto version = models_.open(*entry);
  if (!version) return failed(version.error(), "");
  const auto asked = pathsAskedFor(request);
  if (!asked) return refusal(400, "", asked.error().message);
  Json entries = Json::array();
  std::set<std::string_view> folders;
  for (const ServedFile& file : (*version)->files()) {
    if (asked->contains(file.path)) entries.push_back(treeEntry(file));
    for (std::size_t end = file.path.find('/'); end != std::string::npos;
         end = file.path.find('/', end + 1)) {
      const auto folder = asked->find(std::string_view(file.path).substr(0, end));
      if (folder != asked->end()) folders.insert(*folder);
    }
  }
  for (const std::string_view folder : folders) {
    entries.push_back(directoryEntry(std::string(folder)));
  }
  return document(entries);
}

/// `/NAME/resolve/REVISION/PATH`, also under "raw".
WebAnswer HubApi::resolve(const WebRequest& request, const UrlPath& url) {
  const auto place = placeOf(url, 0);
  if (!place) return failed(place.error(), "RepoNotFound");
  const auto& words = url.segments;
  const bool isFile = words.size() > place->next + 2 &&
                      (words[place->next] == "resolve" || words[place->next] == "raw");
  if (!isFile) return refusal(404, "", "no such page");
  const auto entry = models_.resolve(place->name, words[place->next + 1]);
  if (!entry) return failed(entry.error(), "RevisionNotFound");
  const auto version = models_.open(*entry);
  if (!version) return failed(version.error(), "");
  const std::string commit = commitOf(entry->contentDigest);
  const std::string path = url.joined(place->next + 2);
  const int number = (*version)->find(path);
  if (number < 0) {
    WebAnswer answer =
        refusal(404, "EntryNotFound", fmt::format("{} has no file \"{}\"", entry->label(), path));
    answer.headers.emplace_back("X-Repo-Commit", commit);
    return answer;
  }
  return file(request, *version, static_cast<std::uint32_t>(number), commit);
}

WebAnswer HubApi::file(const WebRequest& request, std::shared_ptr<const ServedVersion> version,
                       std::uint32_t number, const std::string& commit) {
  const ServedFile& info = version->files()[number];
  const std::string etag = '"' + toHex(info.sha256) + '"';
  WebAnswer answer;
  answer.contentType = "application/octet-stream";
  answer.headers = {{"X-Repo-Commit", commit},
                    {"ETag", etag},
                    {"Accept-Ranges", "bytes"},
                    {"X-Content-Type-Options", "nosniff"}};
  const std::string known = request.header("If-None-Match");
  if (known == "*" || known.find(etag) != std::string::npos) {
    answer.status = 304;
    return answer;
  }
  const std::string condition = request.header("If-Range");
  const bool isSame = condition.empty() || condition == etag;
  const AskedRange asked =
      isSame ? readRange(request.header("Range"), info.byteCount) : AskedRange{};
  ByteRange range{0, info.byteCount};
  if (asked.kind == AskedRange::Kind::Unsatisfiable) {
    answer.status = 416;
    answer.headers.emplace_back("Content-Range", fmt::format("bytes */{}", info.byteCount));
    return answer;
  }
  if (asked.kind == AskedRange::Kind::Part) {
    range = asked.range;
    answer.status = 206;
    answer.headers.emplace_back("Content-Range",
                                fmt::format("bytes {}-{}/{}", range.firstByte,
                                            range.firstByte + range.byteCount - 1, info.byteCount));
  }
  if (range.byteCount == 0) return answer;
  answer.firstByte = range.firstByte;
  answer.byteCount = range.byteCount;
  answer.source = models_.bytes(std::move(version), number);
  return answer;
}

}  // namespace strata::hub
