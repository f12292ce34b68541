#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace strata::hub {

/// A URL as people may see it: without user, password, query and fragment.
std::string redactUrl(std::string_view url);

/// Knows the secrets of one client and cuts them out of texts. Every text of a server and of the
/// HTTP library passes here before it becomes part of an error. Safe to use from several threads.
class Redactor {
 public:
  /// Words of less than 4 characters are no secrets.
  void learn(std::string_view secret);
  /// `text` with "***" for each secret, and for what follows "Bearer", "Basic", "token=", "sig=",
  /// "X-Amz-Signature=" and their like.
  std::string redact(std::string_view text) const;

 private:
  mutable std::mutex mutex_;  // guards secrets_
  std::set<std::string, std::less<>> secrets_;
};

}  // namespace strata::hub
