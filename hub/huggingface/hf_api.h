#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "hub/http/http_client.h"
#include "hub/huggingface/hf_repository.h"

namespace strata::hub {

/// Where a repository says which of its files are in LFS.
inline constexpr const char* kAttributesPath = ".gitattributes";
/// What the hub sees of a file before it decides where to keep it.
inline constexpr std::size_t kSampleBytes = 512;

/// A file of a repository as the tree lists it.
struct HfFile {
  std::string path;
  std::uint64_t byteCount = 0;
  std::string gitOid;  ///< git's SHA-1 of the file, or of its pointer
  std::string sha256;  ///< of the content; empty unless it is in LFS
};

/// A line of a commit.
struct HfCommitFile {
  std::string path;
  std::string content = {};     ///< of a regular file
  std::string sha256 = {};      ///< of one in LFS; empty: regular
  std::uint64_t byteCount = 0;  ///< of one in LFS
  bool isDeleted = false;       ///< is taken out; nothing else counts then
};

/// How a commit ended.
enum class HfCommit {
  Done,
  ParentMoved,  ///< 412: the head is another one by now
  Busy,         ///< 409: another commit is being made; the head has not moved
  Unclear,      ///< 429, 5xx, or the line broke: it may have been made
};

/// The calls of the hub's HTTP API that Strata makes, for one repository (huggingface_hub 2.4 makes
/// the same ones). Safe to use from several threads.
///
/// Functions fail with LoginRequired, NotFound, Network, CorruptData (an answer that is none).
class HfApi {
 public:
  HfApi(HttpSettings settings, std::string endpoint, HfRepository repository, std::string token);

  HttpClient& client() noexcept { return client_; }
  const HfRepository& repository() const noexcept { return repository_; }
  const std::string& endpoint() const noexcept { return endpoint_; }
  /// "huggingface.co".
  std::string host() const;
  bool hasToken() const noexcept { return !token_.empty(); }

  /// The commit that the revision is at.
  Result<std::string> headCommit(std::stop_token stop);
  /// A regular file of a commit; nothing if there is none.
  Result<std::optional<std::string>> readFile(const std::string& commit, const std::string& path,
                                              std::size_t maxBytes, std::stop_token stop);
  /// All files of a commit. Paths are checked: CorruptData, naming a bad one.
  Result<std::vector<HfFile>> listFiles(const std::string& commit, std::stop_token stop);
  /// Models of the whole hub, as GET /api/models answers them; `query` begins with "?". At most
  /// `limit`; `each` is called for every one and checks it.
  Result<void> listModels(const std::string& query, std::size_t limit,
                          const std::function<void(const nlohmann::json&)>& each,
                          std::stop_token stop);
  /// Those of `paths` that there are.
  Result<std::vector<HfFile>> pathsInfo(const std::string& commit,
                                        const std::vector<std::string>& paths,
                                        std::stop_token stop);
  /// Makes the repository; fine if it exists.
  Result<void> createRepository(bool isPrivate, std::stop_token stop);
  /// Which of `paths` the server wants as regular files, not in LFS; `samples`: first 512 bytes.
  Result<std::vector<std::string>> regularPaths(const std::vector<HfCommitFile>& files,
                                                const std::vector<std::string>& samples,
                                                const std::string& gitAttributes,
                                                std::stop_token stop);
  Result<HfCommit> commit(const std::vector<HfCommitFile>& files, const std::string& summary,
                          const std::string& parent, std::stop_token stop);
  /// Where a file's bytes are; for download().
  HttpRequest fileRequest(const std::string& commit, const std::string& path) const;

  /// A POST of JSON with the token.
  HttpRequest post(const std::string& path, std::string body) const;
  /// With the server's words and what to do about missing rights.
  Error failure(const HttpResponse& response, const std::string& action) const;
  /// A URL that the server gave, moved to our endpoint where it is the hub's own.
  /// Fails with CorruptData: not encrypted although the endpoint is, or private although it is not.
  Result<std::string> ownUrl(const std::string& url) const;
  bool isOurs(const std::string& url) const;
  std::string redacted(std::string_view text) const { return client_.redacted(text); }

 private:
  HttpRequest get(const std::string& path) const;
  /// Gives the lists that begin at `url` and go on by `Link` to `each`, until it says false.
  Result<void> readPages(std::string url, std::string_view what,
                         const std::function<Result<bool>(const nlohmann::json&)>& each,
                         const std::stop_token& stop);

  HttpClient client_;
  std::string endpoint_;
  HfRepository repository_;
  std::string token_;
};

}  // namespace strata::hub
