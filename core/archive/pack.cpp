#include "core/archive/pack.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace strata {
namespace {

constexpr std::string_view kMagic = "STRATAPK";
constexpr std::uint32_t kPackVersion = 1;

std::array<std::byte, kPackHeaderBytes> packHeader() {
  std::array<std::byte, kPackHeaderBytes> header{};
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  std::memcpy(header.data() + 8, &kPackVersion, sizeof kPackVersion);
  return header;
}

}  // namespace

Result<void> checkPackHeader(std::span<const std::byte> pack) {
  const auto expected = packHeader();
  if (pack.size() < kPackHeaderBytes || std::memcmp(pack.data(), kMagic.data(), 8) != 0) {
    return fail(ErrorCode::CorruptData, "does not begin as a pack");
  }
  std::uint32_t version = 0;
  std::memcpy(&version, pack.data() + 8, sizeof version);
  if (version > kPackVersion) {
    return fail(ErrorCode::FormatTooNew, fmt::format("pack has format {}", version));
  }
  if (std::memcmp(pack.data(), expected.data(), expected.size()) != 0) {
    return fail(ErrorCode::CorruptData, "pack header is damaged");
  }
  return {};
}

Result<PackSection> PackWriter::append(std::span<const std::byte> payload) {
  if (packs_.empty() || packs_.back()->byteCount() >= packBytes_) {
    if (!packs_.empty()) STRATA_TRY(packs_.back()->close());
    STRATA_TRY(auto pack, objects_.createObject());
    STRATA_TRY(pack->append(packHeader()));
    packs_.push_back(std::move(pack));
  }
  PackSection section;
  section.pack = static_cast<std::uint32_t>(packs_.size() - 1);
  section.offset = packs_.back()->byteCount();
  section.byteCount = payload.size();
  STRATA_TRY(packs_.back()->append(payload));
  return section;
}

Result<void> PackWriter::commit(Manifest& manifest) {
  for (auto& pack : packs_) {
    STRATA_TRY(const Digest digest, pack->commit());
    manifest.packs.push_back(digest);
  }
  return {};
}

std::uint64_t PackWriter::byteCount() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& pack : packs_) sum += pack->byteCount();
  return sum;
}

}  // namespace strata
