#include "hub/http/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace strata::hub {

std::string encodeBase64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '\0');
  // The library writes a terminating zero, which a string has room for.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return text;
}

std::optional<std::string> decodeBase64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  std::string plain(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(plain.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const auto padding = static_cast<std::size_t>(std::count(text.end() - 2, text.end(), '='));
  plain.resize(static_cast<std::size_t>(size) - padding);
  return plain;
}

}  // namespace strata::hub
