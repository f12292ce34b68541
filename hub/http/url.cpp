#include "hub/http/url.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <memory>

#include "hub/http/redaction.h"

namespace strata::hub {
namespace {

using Handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

Handle parsed(const std::string& url) {
  Handle handle(curl_url(), &curl_url_cleanup);
  if (handle && curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    handle.reset();
  }
  return handle;
}

/// Every other URL of a program without it would be none.
bool curlIsThere() { return Handle(curl_url(), &curl_url_cleanup) != nullptr; }

std::string part(CURLU* handle, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(handle, which, &text, flags) != CURLUE_OK) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

std::string encode(std::string_view text, bool keepsSlashes) {
  constexpr std::string_view kPlain = "-_.~";
  std::string encoded;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool isPlain = std::isalnum(byte) != 0 || kPlain.find(letter) != std::string_view::npos;
    if (byte < 128 && (isPlain || (keepsSlashes && letter == '/'))) {
      encoded += letter;
    } else {
      encoded += fmt::format("%{:02X}", byte);
    }
  }
  return encoded;
}

std::string_view withoutBrackets(std::string_view host) noexcept {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return host.substr(1, host.size() - 2);
  }
  return host;
}

/// The four bytes of an IPv4 address, also of one mapped into IPv6.
bool readIpv4(const std::string& address, std::array<std::uint8_t, 4>& bytes) noexcept {
  if (::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return true;
  std::array<std::uint8_t, 16> wide{};
  if (::inet_pton(AF_INET6, address.c_str(), wide.data()) != 1) return false;
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::memcmp(wide.data(), kMapped.data(), kMapped.size()) != 0) return false;
  std::memcpy(bytes.data(), wide.data() + 12, 4);
  return true;
}

}  // namespace

Result<Origin> originOf(std::string_view url) {
  const Handle handle = parsed(std::string(url));
  if (!handle && !curlIsThere()) {
    return fail(ErrorCode::Network, redactUrl(url) + ": libcurl.so.4 cannot be loaded");
  }
  if (!handle) return fail(ErrorCode::InvalidArgument, redactUrl(url) + ": is no URL");
  Origin origin{part(handle.get(), CURLUPART_SCHEME), part(handle.get(), CURLUPART_HOST),
                part(handle.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  if (origin.scheme != "https" && origin.scheme != "http") {
    return fail(ErrorCode::InvalidArgument, redactUrl(url) + ": is no http or https URL");
  }
  if (!part(handle.get(), CURLUPART_USER).empty() ||
      !part(handle.get(), CURLUPART_PASSWORD).empty()) {
    return fail(ErrorCode::InvalidArgument,
                redactUrl(url) + ": holds a user name; credentials do not belong into URLs");
  }
  std::transform(origin.host.begin(), origin.host.end(), origin.host.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return origin;
}

Result<std::string> resolveUrl(const std::string& base, const std::string& location) {
  const Handle handle = parsed(base);
  if (!handle || curl_url_set(handle.get(), CURLUPART_URL, location.c_str(),
                              CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: answered with a location that is no URL", redactUrl(base)));
  }
  return part(handle.get(), CURLUPART_URL);
}

std::string encodeSegment(std::string_view text) { return encode(text, false); }
std::string encodePath(std::string_view path) { return encode(path, true); }

bool isPrivateAddress(std::string_view address) noexcept {
  const std::string text(withoutBrackets(address));
  std::array<std::uint8_t, 4> four{};
  if (readIpv4(text, four)) {
    return four[0] == 0 || four[0] == 10 || four[0] == 127 ||
           (four[0] == 100 && (four[1] & 0xc0U) == 64) || (four[0] == 169 && four[1] == 254) ||
           (four[0] == 172 && (four[1] & 0xf0U) == 16) || (four[0] == 192 && four[1] == 168);
  }
  std::array<std::uint8_t, 16> wide{};
  if (::inet_pton(AF_INET6, text.c_str(), wide.data()) != 1) return false;
  const bool isShort =
      std::all_of(wide.begin(), wide.end() - 1, [](auto byte) { return byte == 0; });
  return (isShort && wide[15] <= 1) || (wide[0] & 0xfeU) == 0xfc ||
         (wide[0] == 0xfe && (wide[1] & 0xc0U) == 0x80);
}

bool isPrivateHost(std::string_view host) noexcept {
  return host == "localhost" || host.ends_with(".localhost") || isPrivateAddress(host);
}

bool isLoopbackHost(std::string_view host) noexcept {
  if (host == "localhost" || withoutBrackets(host) == "::1") return true;
  std::array<std::uint8_t, 4> four{};
  return readIpv4(std::string(withoutBrackets(host)), four) && four[0] == 127;
}

}  // namespace strata::hub
