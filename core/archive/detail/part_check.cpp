#include "core/archive/detail/part_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/codec/words/word_buffer.h"

namespace strata {

Result<void> checkDecodes(const EncodeInput& input, std::span<const std::byte> words,
                          const EncodedPart& part, const SharedTables& shared) {
  const bool hasSources = !input.parent.empty() && !part.ignoresParent;
  STRATA_TRY(const auto decoder, openPart(part.codec, input.shape, part.payload,
                                          hasSources ? 1 + input.further.size() : 0, shared));
  const std::uint64_t blockBytes = decoder->blockWords() * input.shape.word.bytes;
  thread_local WordBuffer<std::byte> decoded;
  for (std::uint64_t at = 0, block = 0; at < words.size(); at += blockBytes, ++block) {
    const std::uint64_t n = std::min<std::uint64_t>(blockBytes, words.size() - at);
    const auto blockOf = [&](std::span<const std::byte> source) { return source.subspan(at, n); };
    std::vector<std::span<const std::byte>> further;
    for (const auto& source : input.further) further.push_back(blockOf(source));
    BlockSources sources;
    if (!input.parent.empty()) sources.parent = blockOf(input.parent);
    sources.further = further;
    const auto out = decoded.first(n);
    STRATA_TRY(decoder->decodeBlock(block, sources, out));
    if (std::memcmp(out.data(), words.data() + at, n) != 0) {
      return fail(ErrorCode::Internal,
                  fmt::format("block {} does not decode to what was encoded", block));
    }
  }
  return {};
}

}  // namespace strata
