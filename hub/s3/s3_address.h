#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace strata::hub {

/// How a bucket is written into a URL.
enum class S3Style { Path, VirtualHost };

/// Where a bucket lies and how its keys become URLs. What it writes is signed as it stands: keys
/// and queries are encoded and sorted as signature version 4 wants them, whatever libcurl does.
struct S3Address {
  std::string endpoint;  ///< "https://s3.eu-west-1.amazonaws.com", without a slash at the end
  std::string bucket;
  std::string prefix;  ///< of all keys: empty, or ends with a slash
  S3Style style = S3Style::Path;

  /// Of `s3://BUCKET[/PREFIX]`. Without `endpoint`: Amazon's of the region. `style` is "path",
  /// "virtual" or empty: Amazon and buckets that can be host names get the virtual one.
  /// Fails with InvalidArgument.
  static Result<S3Address> parse(std::string_view url, std::string_view endpoint,
                                 std::string_view region, std::string_view style);

  /// "s3://BUCKET/PREFIX", without a slash at the end.
  std::string url() const;

  using Query = std::vector<std::pair<std::string, std::string>>;
  /// The URL of a key below the prefix.
  std::string keyUrl(std::string_view key, Query query = {}) const;
  /// The URL of the bucket.
  std::string bucketUrl(Query query) const;
};

}  // namespace strata::hub
