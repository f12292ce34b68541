#include "hub/huggingface/hf_repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "hub/http/url.h"

namespace strata::hub {
namespace {

bool isIdWord(std::string_view word) noexcept {
  if (word.empty() || word.size() > 96 || word.front() == '.' || word.front() == '-') return false;
  if (word.find("--") != std::string_view::npos || word.find("..") != std::string_view::npos) {
    return false;
  }
  return std::all_of(word.begin(), word.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  });
}

}  // namespace

Result<HfRepository> HfRepository::parse(std::string_view url) {
  constexpr std::string_view kScheme = "hf://";
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: {}; expected hf://ORG/REPO[@REVISION][/PATH]", url, why));
  };
  if (!url.starts_with(kScheme)) return refuse("is no URL of the Hugging Face Hub");
  std::string_view rest = url.substr(kScheme.size());
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return refuse("names no repository");
  const std::string_view owner = rest.substr(0, slash);
  // The hub keeps these words for what is no model; no organisation has them as its name.
  if (owner == "datasets" || owner == "spaces") {
    return refuse(fmt::format("is one of the hub's {}, expected a model repository", owner));
  }
  rest.remove_prefix(slash + 1);
  const std::string_view name = rest.substr(0, rest.find_first_of("@/"));
  rest.remove_prefix(name.size());
  if (!isIdWord(owner) || !isIdWord(name) || name.ends_with(".git")) {
    return refuse("is no name that the hub allows");
  }
  HfRepository repository{fmt::format("{}/{}", owner, name)};
  if (rest.starts_with('@')) {
    const std::string_view revision = rest.substr(1, rest.find('/') - 1);
    if (revision.empty()) return refuse("has an empty revision");
    repository.revision = revision;
    rest.remove_prefix(revision.size() + 1);
  }
  if (!rest.empty()) repository.path = rest.substr(1);
  if (!repository.path.empty() && !isSafePath(repository.path)) return refuse("has a bad path");
  return repository;
}

std::string HfRepository::apiPath() const { return "/api/models/" + id; }

std::string HfRepository::resolvePath(std::string_view at, std::string_view file) const {
  return fmt::format("/{}/resolve/{}/{}", id, encodeSegment(at), encodePath(file));
}

std::string hubModelOf(const std::string& sourceUrl) {
  constexpr std::string_view kWeb = "https://huggingface.co/";
  const std::string url =
      sourceUrl.starts_with(kWeb) ? "hf://" + sourceUrl.substr(kWeb.size()) : sourceUrl;
  const auto repository = HfRepository::parse(url);
  return repository ? repository->id : std::string{};
}

bool isSafePath(std::string_view path) noexcept {
  if (path.empty() || path.size() > 1000 || path.find('\\') != std::string_view::npos) return false;
  if (path.size() > 1 && path[1] == ':') return false;
  for (const char letter : path) {
    if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) return false;
  }
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view word = path.substr(0, slash);
    if (word.empty() || word == "." || word == "..") return false;
    if (slash + 1 == path.size()) return false;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return true;
}

}  // namespace strata::hub
