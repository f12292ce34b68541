#include <fmt/format.h>

#include <array>

#include "core/codec/codec.h"
#include "core/codec/delta_codec.h"
#include "core/codec/plain_codecs.h"

namespace strata {
namespace {

struct Entry {
  CodecId id;
  std::string_view name;
  bool needsParent;
};

constexpr std::array<Entry, 6> kCodecs{{
    {CodecId::Raw, "raw", false},
    {CodecId::Zstd, "zstd", false},
    {CodecId::Planes, "planes", false},
    {CodecId::Same, "same", true},
    {CodecId::Integer, "integer", true},
    {CodecId::Xor, "xor", true},
}};

constexpr std::array kWithPayload{CodecId::Raw, CodecId::Zstd, CodecId::Planes, CodecId::Integer,
                                  CodecId::Xor};

}  // namespace

Result<std::unique_ptr<PartDecoder>> openPart(CodecId codec, const PartShape& shape,
                                              std::span<const std::byte> payload, bool hasParent,
                                              const SharedTables& shared) {
  if (needsParent(codec) && !hasParent) {
    return fail(ErrorCode::CorruptData,
                fmt::format("codec {} needs a parent, and the part names none", name(codec)));
  }
  switch (codec) {
    case CodecId::Raw:
      return openRaw(shape, payload);
    case CodecId::Zstd:
      return openZstd(shape, payload);
    case CodecId::Planes:
      return openPlanes(shape, payload, hasParent);
    case CodecId::Integer:
    case CodecId::Xor:
      return openDelta(codec, shape, payload, shared);
    case CodecId::Same:
      break;
  }
  return fail(ErrorCode::CorruptData, "codec same has no payload");
}

std::string_view name(CodecId codec) noexcept {
  return kCodecs[static_cast<std::size_t>(codec)].name;
}

std::optional<CodecId> codecFromName(std::string_view text) noexcept {
  for (const Entry& entry : kCodecs) {
    if (entry.name == text) return entry.id;
  }
  return std::nullopt;
}

std::optional<CodecId> codecFromStored(std::uint32_t stored) noexcept {
  if (stored >= kCodecs.size()) return std::nullopt;
  return static_cast<CodecId>(stored);
}

std::span<const CodecId> payloadCodecs() noexcept { return kWithPayload; }

bool needsParent(CodecId codec) noexcept {
  return kCodecs[static_cast<std::size_t>(codec)].needsParent;
}

}  // namespace strata
