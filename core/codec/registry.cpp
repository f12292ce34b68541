#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/codec/codec.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/plain_codecs.h"
#include "core/codec/exact/sized_codec.h"
#include "core/codec/lossy/levels_codec.h"
#include "core/codec/lossy/moments_codec.h"
#include "core/codec/lossy/patterns_codec.h"
#include "core/codec/published/bounded_codec.h"
#include "core/codec/published/exponent_codec.h"
#include "core/codec/published/index_codec.h"
#include "core/codec/published/rows_codec.h"
#include "core/codec/published/sign_codec.h"
#include "kernels/device_engine.h"

namespace strata {
namespace {

struct Entry {
  CodecId id;
  std::string_view name;
  bool needsParent;
};

constexpr std::array<Entry, 17> kCodecs{{
    {CodecId::Raw, "raw", false},
    {CodecId::Zstd, "zstd", false},
    {CodecId::Planes, "planes", false},
    {CodecId::Same, "same", true},
    {CodecId::Integer, "integer", true},
    {CodecId::Xor, "xor", true},
    {CodecId::Levels, "levels", false},
    {CodecId::Exponent, "exponent", true},
    {CodecId::Sign, "sign", true},
    {CodecId::Bounded, "bounded", true},
    {CodecId::Index, "index", true},
    {CodecId::Patterns, "patterns", false},
    {CodecId::ZstdView, "zstdview", true},
    {CodecId::Moments, "moments", false},
    {CodecId::Rows, "rows", true},
    {CodecId::Huffman, "huffman", true},
    {CodecId::Sized, "sized", false},
}};

constexpr std::array kWithPayload{CodecId::Raw,     CodecId::Zstd, CodecId::Planes,
                                  CodecId::Integer, CodecId::Xor,  CodecId::ZstdView,
                                  CodecId::Sized};
constexpr std::array kLossy{CodecId::Levels, CodecId::Exponent, CodecId::Huffman,
                            CodecId::Sign,   CodecId::Bounded,  CodecId::Index,
                            CodecId::Rows,   CodecId::Patterns, CodecId::Moments};

}  // namespace

kernels::DevicePart PartDecoder::deviceForm(DeviceInput&) const { return {}; }

Result<std::unique_ptr<PartDecoder>> openPart(CodecId codec, const PartShape& shape,
                                              std::span<const std::byte> payload,
                                              std::size_t sourceCount, const SharedTables& shared) {
  const bool hasParent = sourceCount != 0;
  if (needsParent(codec) && !hasParent) {
    return fail(ErrorCode::CorruptData,
                fmt::format("codec {} needs a parent, and the part names none", name(codec)));
  }
  switch (codec) {
    case CodecId::Raw:
      return openRaw(shape, payload);
    case CodecId::Zstd:
      return openZstd(shape, payload);
    case CodecId::ZstdView:
      return openZstdView(shape, payload);
    case CodecId::Planes:
      return openPlanes(shape, payload, hasParent);
    case CodecId::Integer:
    case CodecId::Xor:
      return openDelta(codec, shape, payload, sourceCount, shared);
    case CodecId::Exponent:
      return openExponent(shape, payload);
    case CodecId::Sign:
      return openSign(shape, payload);
    case CodecId::Bounded:
      return openBounded(shape, payload);
    case CodecId::Index:
      return openIndex(shape, payload);
    case CodecId::Levels:
      return openLevels(shape, payload, hasParent);
    case CodecId::Patterns:
      return openPatterns(shape, payload, hasParent);
    case CodecId::Moments:
      return openMoments(shape, payload);
    case CodecId::Rows:
      return openRows(shape, payload);
    case CodecId::Huffman:
      return openExponentHuffman(shape, payload);
    case CodecId::Sized:
      return openSized(shape, payload, hasParent);
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

std::span<const CodecId> lossyCodecs() noexcept { return kLossy; }

std::string lossyCodecNames() {
  std::string names;
  for (const CodecId codec : kLossy) {
    if (codec == CodecId::Moments) continue;  // rules of profiles ask for it
    if (!names.empty()) names += ", ";
    names += name(codec);
  }
  return names;
}

bool isLossy(CodecId codec) noexcept {
  return std::find(kLossy.begin(), kLossy.end(), codec) != kLossy.end();
}

bool needsParent(CodecId codec) noexcept {
  return kCodecs[static_cast<std::size_t>(codec)].needsParent;
}

}  // namespace strata
