#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::hub {

/// What kind of server a credential is for.
enum class Service { HuggingFace, Registry, ObjectStore };

/// "hf", "oci", "s3": the schemes of their URLs.
std::string_view name(Service service) noexcept;

/// Whose credential is wanted. It is bound to the host, so that a remote whose URL is changed never
/// takes its secret along.
struct CredentialQuery {
  Service service = Service::HuggingFace;
  std::string host;             ///< "huggingface.co", "127.0.0.1:5000"; of S3 the endpoint's
  std::string remote = {};      ///< the remote's name; its own credential beats that of the host
  std::string repository = {};  ///< of registries: "org/repo", for files that tell them apart
};

/// A secret and where it came from.
struct Credential {
  std::string user = {};          ///< empty for a token; of S3 the access key's id
  std::string secret = {};        ///< token, password or secret access key
  std::string sessionToken = {};  ///< of S3, for temporary keys; else empty
  bool isIdentityToken = false;   ///< of registries: to be exchanged at their token server
  std::string source = {};        ///< for people: "$HF_TOKEN", "keychain", a file's path
  bool isOurs = false;            ///< saved by us, so that we can remove it
};

/// A variable's value; empty where it is not set.
using Environment = std::function<std::string(const std::string& name)>;
/// The process's own.
Environment processEnvironment();

/// The query for a remote, its URL (hf, oci or s3) and the endpoint if it has one of its own.
/// Fails with InvalidArgument: a URL that is none; Unsupported: file URLs need no credential.
Result<CredentialQuery> credentialQuery(std::string_view url, std::string_view endpoint,
                                        std::string_view remote, const Environment& environment);

/// $HF_ENDPOINT without a slash at the end, else "https://huggingface.co".
std::string huggingFaceEndpoint(const Environment& environment);

/// Scheme, user, path and query cut off: "127.0.0.1:5000" of "http://127.0.0.1:5000/x". Lower case.
std::string hostOfUrl(std::string_view url);

}  // namespace strata::hub
