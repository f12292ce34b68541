#include "hub/http/http_failure.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/proxy.h"
#include "hub/http/redaction.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

constexpr std::size_t kMaxWords = 500;

std::string_view phraseOf(int status) noexcept {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 416:
      return "Range Not Satisfiable";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "";
  }
}

/// What helps, where the code alone does not say it.
std::string_view adviceOn(int status) noexcept {
  if (status == 409) return "somebody else is changing it, try again";
  if (status == 429) return "wait a while, and use fewer transfers at once (-j 1)";
  if (status == 507) return "the server has no space left";
  if (isWorthARetry(status)) return "the server has trouble, try again later";
  return {};
}

ErrorCode codeOf(int status) noexcept {
  if (status == 401 || status == 403) return ErrorCode::LoginRequired;
  if (status == 404 || status == 410) return ErrorCode::NotFound;
  if (isWorthARetry(status) || status >= 500) return ErrorCode::Network;
  return ErrorCode::Unsupported;
}

/// A text, or the texts of a list joined.
std::string textOf(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) {
    const auto message = value.find("message");
    return message == value.end() ? std::string{} : textOf(*message);
  }
  std::string text;
  if (!value.is_array()) return text;
  for (const auto& item : value) {
    const std::string one = textOf(item);
    if (one.empty() || text.find(one) != std::string::npos) continue;
    if (!text.empty()) text += "; ";
    text += one;
  }
  return text;
}

std::string wordsOfJson(const std::string& body) {
  const auto json = parseJson(body, "the answer");
  if (!json || !json->is_object()) return {};
  for (const char* key : {"error", "error_description", "errors", "message", "detail"}) {
    const auto found = json->find(key);
    if (found == json->end()) continue;
    std::string text = textOf(*found);
    if (!text.empty()) return text;
  }
  return {};
}

std::string wordsOfXml(std::string_view body) {
  std::string words;
  for (const std::string_view tag : {"Code", "Message"}) {
    const std::string open = fmt::format("<{}>", tag);
    const std::size_t at = body.find(open);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = body.substr(at + open.size());
    if (!words.empty()) words += ": ";
    words += rest.substr(0, rest.find('<'));
  }
  return words;
}

std::string_view requestId(const HttpHead& head) noexcept {
  for (const char* name : {"x-request-id", "x-amz-request-id", "X-Amzn-Trace-Id", "x-amz-cf-id"}) {
    const std::string_view id = head.headers.value(name);
    if (!id.empty()) return id.substr(0, 100);
  }
  return {};
}

}  // namespace

std::string shortened(std::string text) {
  if (text.size() > kMaxWords) text.resize(kMaxWords);
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string serverWords(const HttpResponse& response) {
  std::string words(response.head.headers.value("X-Error-Message"));
  if (words.empty()) words = wordsOfJson(response.body);
  if (words.empty() && response.body.starts_with("<")) words = wordsOfXml(response.body);
  if (words.empty() && response.body.find('<') == std::string::npos &&
      !response.body.starts_with("{")) {
    words = response.body;
  }
  return shortened(std::move(words));
}

Error failureOf(const HttpClient& client, const HttpResponse& response, std::string_view action) {
  const int status = response.head.status;
  if (status == 407) return proxyRefusal(client.settings(), response.head.url, action);
  const auto origin = originOf(response.head.url);
  const std::string_view phrase = phraseOf(status);
  std::string text =
      fmt::format("{}: {}{}{} (response from {})", action, status, phrase.empty() ? "" : " ",
                  phrase, origin ? origin->host : redactUrl(response.head.url));
  if (const std::string_view advice = adviceOn(status); !advice.empty()) {
    text += fmt::format("; {}", advice);
  }
  const std::string words = serverWords(response);
  if (!words.empty()) text += ": " + words;
  const std::string_view id = requestId(response.head);
  if (!id.empty()) text += fmt::format(" [request {}]", id);
  return {codeOf(status), shortened(client.redacted(text))};
}

}  // namespace strata::hub
