#include "onnx_io/ignore_list.h"

#include <algorithm>
#include <array>

#include "core/text/glob.h"

namespace strata {
namespace {

/// Where passwords, tokens and private keys lie by the custom of the tools that read them.
constexpr std::array<std::string_view, 21> kSecrets{".env",
                                                    ".env.*",
                                                    "!.env.example",
                                                    "!.env.template",
                                                    ".envrc",
                                                    ".netrc",
                                                    ".npmrc",
                                                    ".pypirc",
                                                    ".pgpass",
                                                    ".htpasswd",
                                                    ".git-credentials",
                                                    "id_rsa",
                                                    "id_dsa",
                                                    "id_ecdsa",
                                                    "id_ed25519",
                                                    "*.pem",
                                                    "*.p12",
                                                    "*.pfx",
                                                    ".aws/",
                                                    ".ssh/",
                                                    ".gnupg/"};

}  // namespace

IgnoreList::IgnoreList() {
  for (const std::string_view pattern : kSecrets) add(pattern, Verdict::Secret);
}

void IgnoreList::add(std::string_view pattern) { add(pattern, Verdict::Excluded); }

void IgnoreList::add(std::string_view pattern, Verdict verdict) {
  Rule rule;
  rule.verdict = pattern.starts_with('!') ? Verdict::Kept : verdict;
  if (pattern.starts_with('!')) pattern.remove_prefix(1);
  rule.foldersOnly = pattern.ends_with('/');
  if (rule.foldersOnly) pattern.remove_suffix(1);
  rule.isWholePath = pattern.find('/') != std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  if (pattern.empty()) return;
  rule.glob = pattern;
  rules_.push_back(std::move(rule));
}

void IgnoreList::addLines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (!line.starts_with('#')) add(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

IgnoreList::Verdict IgnoreList::verdict(std::string_view path, bool isFolder) const {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& rule) {
    if (rule.foldersOnly && !isFolder) return false;
    return matchesGlob(rule.isWholePath ? path : name, rule.glob);
  });
  return last == rules_.rend() ? Verdict::Kept : last->verdict;
}

}  // namespace strata
