#include "hub/s3/s3_address.h"

#include <fmt/format.h>

#include <algorithm>

#include "hub/http/url.h"

namespace strata::hub {
namespace {

/// 3 to 63 of a-z 0-9 . - with a letter or digit at both ends; older ones also A-Z and _.
bool isBucketName(std::string_view name) noexcept {
  const auto isInner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return name.size() >= 3 && name.size() <= 63 && std::all_of(name.begin(), name.end(), isInner) &&
         name.front() != '.' && name.front() != '-' && name.find("..") == std::string_view::npos;
}

/// Whether a certificate for *.HOST is good for BUCKET.HOST.
bool isHostLabel(std::string_view bucket) noexcept {
  return std::all_of(bucket.begin(), bucket.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string written(S3Address::Query query) {
  std::sort(query.begin(), query.end());
  std::string text;
  for (const auto& [key, value] : query) {
    text += text.empty() ? '?' : '&';
    text += encodeSegment(key) + '=' + encodeSegment(value);
  }
  return text;
}

}  // namespace

Result<S3Address> S3Address::parse(std::string_view url, std::string_view endpoint,
                                   std::string_view region, std::string_view style) {
  constexpr std::string_view kScheme = "s3://";
  if (!url.starts_with(kScheme)) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: is no s3:// URL", url));
  }
  url.remove_prefix(kScheme.size());
  S3Address address;
  address.bucket = url.substr(0, url.find('/'));
  address.prefix = url.substr(std::min(address.bucket.size() + 1, url.size()));
  if (!address.prefix.empty() && address.prefix.back() != '/') address.prefix += '/';
  if (!isBucketName(address.bucket)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("s3://{}: \"{}\" is no name of a bucket", url, address.bucket));
  }
  if (('/' + address.prefix).find("//") != std::string::npos || address.prefix.size() > 500 ||
      ('/' + address.prefix).find("/../") != std::string::npos ||
      ('/' + address.prefix).find("/./") != std::string::npos) {
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("s3://{}: the prefix has empty, '.' or '..' parts or is too long", url));
  }
  const bool isAmazon = endpoint.empty();
  address.endpoint = isAmazon ? fmt::format("https://s3.{}.amazonaws.com", region) : endpoint;
  while (address.endpoint.ends_with('/')) address.endpoint.pop_back();
  STRATA_TRY(const Origin origin, originOf(address.endpoint));
  static_cast<void>(origin);
  const bool isVirtual = style == "virtual" || (style != "path" && isAmazon);
  if (isVirtual && isHostLabel(address.bucket)) address.style = S3Style::VirtualHost;
  return address;
}

std::string S3Address::url() const {
  return fmt::format("s3://{}{}{}", bucket, prefix.empty() ? "" : "/",
                     prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1));
}

std::string S3Address::keyUrl(std::string_view key, Query query) const {
  const std::string path = encodePath(prefix + std::string(key));
  if (style == S3Style::Path) {
    return fmt::format("{}/{}/{}{}", endpoint, bucket, path, written(std::move(query)));
  }
  const std::size_t host = endpoint.find("://") + 3;
  return fmt::format("{}{}.{}/{}{}", endpoint.substr(0, host), bucket, endpoint.substr(host), path,
                     written(std::move(query)));
}

std::string S3Address::bucketUrl(Query query) const {
  if (style == S3Style::Path) {
    return fmt::format("{}/{}{}", endpoint, bucket, written(std::move(query)));
  }
  const std::size_t host = endpoint.find("://") + 3;
  return fmt::format("{}{}.{}/{}", endpoint.substr(0, host), bucket, endpoint.substr(host),
                     written(std::move(query)));
}

}  // namespace strata::hub
