#include "core/transfer/base_elsewhere.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/model/model_path.h"
#include "core/store/refs/reference.h"
#include "core/text/json_text.h"
#include "core/text/url_text.h"
#include "core/text/wording.h"
#include "core/transfer/base_elsewhere_json.h"

namespace strata {
namespace {

constexpr std::size_t kMaxUrlBytes = 2000;

/// Whether the server is this machine: nobody else changes what comes without TLS then.
bool isOfThisMachine(std::string_view url) noexcept {
  const std::string_view server = authorityOf(url);
  constexpr std::array<std::string_view, 3> kHosts{"127.0.0.1", "localhost", "[::1]"};
  return std::any_of(kHosts.begin(), kHosts.end(), [&](std::string_view host) {
    return server == host ||
           (server.starts_with(host) && server.substr(host.size()).starts_with(':'));
  });
}

}  // namespace

bool isFetchable(std::string_view url) noexcept {
  const bool isPlain =
      url.size() <= kMaxUrlBytes &&
      std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  const bool isKnown = url.starts_with("hf://") || url.starts_with("https://") ||
                       (url.starts_with("http://") && isOfThisMachine(url));
  return isPlain && isKnown && !authorityOf(url).empty() && userInfoOf(url).empty();
}

nlohmann::json toJson(const BaseElsewhere& base) {
  return {{"name", base.name}, {"url", base.url}, {"file", base.file}, {"bytes", base.byteCount}};
}

std::optional<BaseElsewhere> baseElsewhereOf(const nlohmann::json& member, const Digest& content) {
  const auto name = textMember(member, "name");
  const auto url = textMember(member, "url");
  const auto file = textMember(member, "file");
  const auto bytes = countMember(member, "bytes");
  if (!name || !url || !file || !bytes || !checkName(*name) || !isFetchable(*url)) {
    return std::nullopt;
  }
  const bool isFileName = isModelPath(*file) && file->find('/') == std::string::npos;
  if (!file->empty() && !isFileName) return std::nullopt;
  return BaseElsewhere{content, *name, *url, *file, *bytes};
}

std::string placeText(const BaseElsewhere& base) {
  return fmt::format("\"{}\" ({}, content {}) at {}", base.name, wordBytes(base.byteCount),
                     shortHex(base.contentDigest), base.url);
}

}  // namespace strata
