#include "hub/http/redaction.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text/url_text.h"

namespace strata::hub {
namespace {

constexpr std::string_view kHidden = "***";
/// What a secret follows, in lower case.
constexpr std::array<std::string_view, 10> kMarks{"bearer ",
                                                  "basic ",
                                                  "token=",
                                                  "sig=",
                                                  "x-amz-signature=",
                                                  "x-amz-credential=",
                                                  "x-amz-security-token=",
                                                  "signature=",
                                                  "jwt=",
                                                  "password="};

bool endsSecret(char letter) noexcept {
  return std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == '&' || letter == '"' ||
         letter == '\'' || letter == ',' || letter == '<';
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

void hideAfter(std::string& text, std::string_view mark) {
  std::string lower = lowered(text);
  for (std::size_t at = lower.find(mark); at != std::string::npos; at = lower.find(mark, at)) {
    at += mark.size();
    std::size_t end = at;
    while (end < text.size() && !endsSecret(text[end])) ++end;
    if (end == at) continue;
    text.replace(at, end - at, kHidden);
    lower.replace(at, end - at, kHidden);
  }
}

}  // namespace

std::string redactUrl(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::string_view authority = authorityOf(url);
  const std::size_t user = authority.rfind('@');
  std::string shown(url);
  if (user == std::string_view::npos) return shown;
  return shown.erase(static_cast<std::size_t>(authority.data() - url.data()), user + 1);
}

void Redactor::learn(std::string_view secret) {
  if (secret.size() < 4) return;
  const std::scoped_lock lock(mutex_);
  secrets_.emplace(secret);
}

std::string Redactor::redact(std::string_view text) const {
  std::string hidden(text);
  {
    const std::scoped_lock lock(mutex_);
    // Backwards: a secret that begins another one comes after it.
    for (auto known = secrets_.rbegin(); known != secrets_.rend(); ++known) {
      const std::string& secret = *known;
      for (std::size_t at = hidden.find(secret); at != std::string::npos;
           at = hidden.find(secret, at + kHidden.size())) {
        hidden.replace(at, secret.size(), kHidden);
      }
    }
  }
  for (const std::string_view mark : kMarks) hideAfter(hidden, mark);
  return hidden;
}

}  // namespace strata::hub
