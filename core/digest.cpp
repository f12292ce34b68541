#include "core/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "core/text/hex_digit.h"
#include "kernels/level_kernels.h"

namespace strata {
std::string toHex(const Digest& digest) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(64);
  for (const std::byte b : digest.bytes) {
    hex += kDigits[std::to_integer<unsigned>(b) >> 4];
    hex += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return hex;
}

std::string shortHex(const Digest& digest) { return toHex(digest).substr(0, 8); }

std::optional<Digest> digestFromHex(std::string_view hex) {
  if (hex.size() != 64) return std::nullopt;
  Digest digest;
  for (std::size_t i = 0; i < 32; ++i) {
    const int high = hexDigit(hex[2 * i]);
    const int low = hexDigit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest.bytes[i] = static_cast<std::byte>(high << 4 | low);
  }
  return digest;
}

std::optional<Digest> digestFromBytes(std::string_view bytes) {
  if (bytes.size() != 32) return std::nullopt;
  Digest digest;
  std::memcpy(digest.bytes.data(), bytes.data(), 32);
  return digest;
}

std::string toBytes(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

Digest Sha256::finish() {
  Digest digest;
  unsigned written = 0;
  EVP_DigestFinal_ex(state_->context, reinterpret_cast<unsigned char*>(digest.bytes.data()),
                     &written);
  assert(written == digest.bytes.size());
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
  return digest;
}

Digest sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

struct Xxh3::State {
  kernels::HashState hash;
};

Xxh3::Xxh3() : state_(std::make_unique<State>()) {
  kernels::bestLevelKernels().beginHash(state_->hash);
}
Xxh3::~Xxh3() = default;
Xxh3::Xxh3(Xxh3&&) noexcept = default;
Xxh3& Xxh3::operator=(Xxh3&&) noexcept = default;

void Xxh3::update(std::span<const std::byte> bytes) {
  kernels::bestLevelKernels().addToHash(state_->hash, bytes.data(), bytes.size());
}

std::uint64_t Xxh3::finish() {
  const std::uint64_t value = kernels::bestLevelKernels().endHash(state_->hash);
  kernels::bestLevelKernels().beginHash(state_->hash);
  return value;
}

std::uint64_t xxh3(std::span<const std::byte> bytes) noexcept {
  return kernels::bestKernels().xxh3(bytes.data(), bytes.size());
}

std::uint32_t blockChecksum(std::span<const std::byte> bytes) noexcept {
  return static_cast<std::uint32_t>(xxh3(bytes));
}

}  // namespace strata

std::size_t std::hash<strata::Digest>::operator()(const strata::Digest& digest) const noexcept {
  std::size_t value = 0;
  std::memcpy(&value, digest.bytes.data(), sizeof value);
  return value;
}
