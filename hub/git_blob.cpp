#include "hub/git_blob.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace strata::hub {

std::string gitBlobOid(std::string_view bytes) {
  std::string blob = fmt::format("blob {}", bytes.size());
  blob += '\0';
  blob += bytes;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int digestBytes = 0;
  EVP_Digest(blob.data(), blob.size(), digest.data(), &digestBytes, EVP_sha1(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < digestBytes; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace strata::hub
