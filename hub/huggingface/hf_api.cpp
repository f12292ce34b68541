#include "hub/huggingface/hf_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/base64.h"
#include "hub/http/http_failure.h"
#include "hub/http/page_limit.h"
#include "hub/http/redaction.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

using nlohmann::json;

constexpr std::string_view kHubItself = "https://huggingface.co";
constexpr std::size_t kMaxFiles = 1'000'000;
constexpr PageLimit kListLimit(2000, std::uint64_t{256} << 20U);

bool isCommit(std::string_view text) noexcept {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// `<https://…>; rel="next"`.
std::string nextPage(const HttpHead& head) {
  const std::string_view link = head.headers.value("Link");
  const std::size_t open = link.find('<');
  const std::size_t close = link.find('>');
  if (link.find("rel=\"next\"") == std::string_view::npos || open == std::string_view::npos ||
      close == std::string_view::npos || close < open) {
    return {};
  }
  return std::string(link.substr(open + 1, close - open - 1));
}

Result<HfFile> fileOf(const json& entry) {
  HfFile file;
  const auto path = textMember(entry, "path");
  const auto byteCount = countMember(entry, "size");
  if (!path || !byteCount) {
    return fail(ErrorCode::CorruptData, "the list of files lacks a path or a size");
  }
  if (!isSafePath(*path)) {
    return fail(ErrorCode::CorruptData,
                fmt::format("the list of files has the bad path {:?}", std::string_view(*path)));
  }
  file.path = *path;
  file.byteCount = *byteCount;
  file.gitOid = textMember(entry, "oid").value_or("");
  if (const auto lfs = entry.find("lfs"); lfs != entry.end()) {
    file.sha256 = textMember(*lfs, "oid").value_or("");
    file.byteCount = countMember(*lfs, "size").value_or(file.byteCount);
  }
  return file;
}

/// The files of a tree's page.
Result<void> addFiles(const json& entries, std::vector<HfFile>& files) {
  if (!entries.is_array()) return fail(ErrorCode::CorruptData, "the list of files is no list");
  for (const json& entry : entries) {
    if (textMember(entry, "type") != "file") continue;
    STRATA_TRY(HfFile file, fileOf(entry));
    files.push_back(std::move(file));
  }
  return {};
}

std::string commitBody(const std::vector<HfCommitFile>& files, const std::string& summary,
                       const std::string& parent) {
  const auto line = [](const char* key, json value) {
    return json{{"key", key}, {"value", std::move(value)}}.dump(-1, ' ', false,
                                                                json::error_handler_t::replace) +
           "\n";
  };
  json header{{"summary", summary}, {"description", ""}};
  if (!parent.empty()) header["parentCommit"] = parent;
  std::string body = line("header", std::move(header));
  for (const HfCommitFile& file : files) {
    if (file.isDeleted) {
      body += line("deletedFile", {{"path", file.path}});
      continue;
    }
    body += file.sha256.empty() ? line("file", {{"path", file.path},
                                                {"content", encodeBase64(file.content)},
                                                {"encoding", "base64"}})
                                : line("lfsFile", {{"path", file.path},
                                                   {"algo", "sha256"},
                                                   {"oid", file.sha256},
                                                   {"size", file.byteCount}});
  }
  return body;
}

}  // namespace

HfApi::HfApi(HttpSettings settings, std::string endpoint, HfRepository repository,
             std::string token)
    : client_(std::move(settings)),
      endpoint_(std::move(endpoint)),
      repository_(std::move(repository)),
      token_(std::move(token)) {}

std::string HfApi::host() const {
  const auto origin = originOf(endpoint_);
  return origin ? origin->host : endpoint_;
}

HttpRequest HfApi::get(const std::string& path) const {
  HttpRequest request;
  request.url = path.starts_with("/") ? endpoint_ + path : path;
  if (!token_.empty()) request.authorization = "Bearer " + token_;
  return request;
}

HttpRequest HfApi::post(const std::string& path, std::string body) const {
  HttpRequest request = get(path);
  request.method = "POST";
  request.headers.add("Content-Type", "application/json");
  request.body = HttpBody{.text = std::move(body)};
  return request;
}

HttpRequest HfApi::fileRequest(const std::string& commit, const std::string& path) const {
  HttpRequest request = get(repository_.resolvePath(commit, path));
  request.headers.add("Accept-Encoding", "identity");
  return request;
}

Error HfApi::failure(const HttpResponse& response, const std::string& action) const {
  Error error = failureOf(client_, response, action);
  const std::string_view code = response.head.headers.value("X-Error-Code");
  if (code == "GatedRepo") {
    return {ErrorCode::LoginRequired,
            error.message + "; the repository is gated: accept its terms on the web page"};
  }
  // To nobody in particular the hub says 401 of what is missing and of what is private alike.
  const bool mayBePrivate = token_.empty() && response.head.status == 401;
  if (mayBePrivate) {
    error.message += "; there is no token: it is missing or private";
  } else if (code == "RepoNotFound" || code == "RevisionNotFound" || code == "EntryNotFound") {
    error.code = ErrorCode::NotFound;
    if (code == "RepoNotFound" && token_.empty()) error.message += "; or it is private: log in";
  } else if (error.code == ErrorCode::LoginRequired && token_.empty()) {
    error.message += "; there is no token";
  }
  return error;
}

bool HfApi::isOurs(const std::string& url) const {
  const auto there = originOf(url);
  const auto here = originOf(endpoint_);
  return there && here && *there == *here;
}

Result<std::string> HfApi::ownUrl(const std::string& url) const {
  std::string own = url;
  if (endpoint_ != kHubItself && url.starts_with(std::string(kHubItself) + "/")) {
    own = endpoint_ + url.substr(kHubItself.size());
  }
  const auto there = originOf(own);
  STRATA_TRY(const Origin here, originOf(endpoint_));
  const bool isPlain = there && here.scheme == "https" && there->scheme != "https";
  const bool isInside = there && !isPrivateHost(here.host) && isPrivateHost(there->host);
  if (!there || isPlain || isInside) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: sends us to {}, which is not allowed", endpoint_, redactUrl(url)));
  }
  return own;
}

Result<std::string> HfApi::headCommit(std::stop_token stop) {
  const std::string path =
      fmt::format("{}/revision/{}", repository_.apiPath(), encodeSegment(repository_.revision));
  STRATA_TRY(const HttpResponse answer, client_.send(get(path), stop));
  if (!answer.succeeded()) return fail(failure(answer, "asking for " + repository_.id));
  STRATA_TRY(const json info, parseJson(answer.body, endpoint_ + path));
  const auto sha = textMember(info, "sha");
  if (!sha || !isCommit(*sha)) {
    return fail(ErrorCode::CorruptData, endpoint_ + ": answers without a commit; it is no hub");
  }
  return *sha;
}

Result<std::optional<std::string>> HfApi::readFile(const std::string& commit,
                                                   const std::string& path, std::size_t maxBytes,
                                                   std::stop_token stop) {
  HttpRequest request = fileRequest(commit, path);
  request.maxBodyBytes = maxBytes;
  STRATA_TRY(HttpResponse answer, client_.send(request, stop));
  if (answer.succeeded()) return std::move(answer.body);
  Error error = failure(answer, "reading " + path);
  if (error.code == ErrorCode::NotFound) return std::nullopt;
  return fail(std::move(error));
}

Result<void> HfApi::readPages(std::string url, std::string_view what,
                              const std::function<Result<bool>(const json&)>& each,
                              const std::stop_token& stop) {
  for (PageLimit limit = kListLimit;;) {
    STRATA_TRY(const HttpResponse answer, client_.send(get(url), stop));
    if (!answer.succeeded()) return fail(failure(answer, fmt::format("asking for {}", what)));
    if (!limit.take(answer.body.size())) break;
    STRATA_TRY(const json list, parseJson(answer.body, what));
    if (!list.is_array()) return fail(ErrorCode::CorruptData, fmt::format("{} is no list", what));
    STRATA_TRY(const bool goesOn, each(list));
    url = nextPage(answer.head);
    if (url.empty() || !goesOn) return {};
    STRATA_TRY(url, ownUrl(url));
    if (!isOurs(url)) {
      return fail(ErrorCode::CorruptData, fmt::format("{} goes on elsewhere", what));
    }
  }
  return fail(ErrorCode::CorruptData, fmt::format("{} does not end", what));
}

Result<std::vector<HfFile>> HfApi::listFiles(const std::string& commit, std::stop_token stop) {
  std::vector<HfFile> files;
  const auto take = [&](const json& page) -> Result<bool> {
    STRATA_TRY(addFiles(page, files));
    if (files.size() <= kMaxFiles) return true;
    return fail(ErrorCode::CorruptData, repository_.id + ": has too many files");
  };
  STRATA_TRY(readPages(
      fmt::format("{}/tree/{}?recursive=true&expand=false", repository_.apiPath(), commit),
      "the list of files", take, stop));
  return files;
}

Result<void> HfApi::listModels(const std::string& query, std::size_t limit,
                               const std::function<void(const json&)>& each, std::stop_token stop) {
  std::size_t count = 0;
  const auto take = [&](const json& page) -> Result<bool> {
    for (const json& entry : page) {
      if (count++ == limit) return false;
      each(entry);
    }
    return true;
  };
  return readPages("/api/models" + query, "the list of models", take, stop);
}

Result<std::vector<HfFile>> HfApi::pathsInfo(const std::string& commit,
                                             const std::vector<std::string>& paths,
                                             std::stop_token stop) {
  constexpr std::size_t kMost = 500;
  const std::string url = fmt::format("{}/paths-info/{}", repository_.apiPath(), commit);
  std::vector<HfFile> files;
  for (std::size_t first = 0; first < paths.size(); first += kMost) {
    const auto begin = paths.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kMost, paths.size() - first));
    const json body{{"paths", std::vector<std::string>(begin, end)}, {"expand", false}};
    STRATA_TRY(const HttpResponse answer, client_.send(post(url, body.dump()), stop));
    if (!answer.succeeded()) return fail(failure(answer, "asking for files"));
    STRATA_TRY(const json entries, parseJson(answer.body, "the list of files"));
    STRATA_TRY(addFiles(entries, files));
  }
  return files;
}

Result<void> HfApi::createRepository(bool isPrivate, std::stop_token stop) {
  const std::size_t slash = repository_.id.find('/');
  json body{{"name", repository_.id.substr(slash + 1)},
            {"organization", repository_.id.substr(0, slash)},
            {"type", "model"}};
  if (isPrivate) body["visibility"] = "private";
  STRATA_TRY(const HttpResponse answer, client_.send(post("/api/repos/create", body.dump()), stop));
  if (answer.succeeded() || answer.head.status == 409) return {};
  return fail(failure(answer, "making the repository " + repository_.id));
}

Result<std::vector<std::string>> HfApi::regularPaths(const std::vector<HfCommitFile>& files,
                                                     const std::vector<std::string>& samples,
                                                     const std::string& gitAttributes,
                                                     std::stop_token stop) {
  constexpr std::size_t kMost = 256;
  std::vector<std::string> regular;
  for (std::size_t first = 0; first < files.size(); first += kMost) {
    json list = json::array();
    for (std::size_t i = first; i < std::min(files.size(), first + kMost); ++i) {
      list.push_back({{"path", files[i].path},
                      {"sample", encodeBase64(samples[i])},
                      {"size", files[i].byteCount}});
    }
    const json body{{"files", std::move(list)}, {"gitAttributes", gitAttributes}};
    const std::string path =
        fmt::format("{}/preupload/{}", repository_.apiPath(), encodeSegment(repository_.revision));
    STRATA_TRY(const HttpResponse answer, client_.send(post(path, body.dump()), stop));
    if (!answer.succeeded()) return fail(failure(answer, "announcing files"));
    STRATA_TRY(const json modes, parseJson(answer.body, "the answer to announced files"));
    for (const json& entry : listMember(modes, "files")) {
      if (textMember(entry, "uploadMode") == "regular") {
        regular.push_back(textMember(entry, "path").value_or(""));
      }
    }
  }
  return regular;
}

Result<HfCommit> HfApi::commit(const std::vector<HfCommitFile>& files, const std::string& summary,
                               const std::string& parent, std::stop_token stop) {
  HttpRequest request =
      post(fmt::format("{}/commit/{}", repository_.apiPath(), encodeSegment(repository_.revision)),
           commitBody(files, summary, parent));
  request.headers = {};
  request.headers.add("Content-Type", "application/x-ndjson");
  request.retries = false;
  const Result<HttpResponse> answer = client_.send(request, stop);
  if (!answer && answer.error().code == ErrorCode::Network && !client_.settings().offline) {
    return HfCommit::Unclear;
  }
  if (!answer) return fail(answer.error());
  if (answer->succeeded()) return HfCommit::Done;
  if (answer->head.status == 412) return HfCommit::ParentMoved;
  if (answer->head.status == 409) return HfCommit::Busy;
  const int status = answer->head.status;
  // A full disk is not made better by another try.
  if (status == 429 || (status >= 500 && status != 507)) return HfCommit::Unclear;
  return fail(failure(*answer, "committing"));
}

}  // namespace strata::hub
