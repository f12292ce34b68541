#include "tests/fuzz/targets.h"

#include <algorithm>

#include "core/codec/byte_io.h"
#include "tests/support/part_samples.h"

namespace strata::test {

bool exercisePayload(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  std::vector<CodecId> codecs(payloadCodecs().begin(), payloadCodecs().end());
  codecs.insert(codecs.end(), lossyCodecs().begin(), lossyCodecs().end());
  const auto types = typesOfEveryWordFormat();
  const CodecId codec = codecs[in.byte() % codecs.size()];
  PartShape shape{wordFormat(types[in.byte() % types.size()]), 1, 1};
  shape.rows = 1 + in.fixed<std::uint16_t>();
  shape.columns = 1 + in.fixed<std::uint16_t>() % (1 + (1U << 18) / shape.rows);
  const bool hasParent = in.fixed<std::uint16_t>() % 4 != 0;
  if (in.failed()) return false;
  const Bytes parent(hasParent ? shape.byteCount() : 0, std::byte{0x3c});
  return decodeSample(codec, shape, in.rest(), parent).has_value();
}

bool exerciseManifest(const SmallPair& pair, std::span<const std::byte> message) {
  Manifest manifest;
  const auto count = static_cast<int>(std::min<std::size_t>(message.size(), 1 << 20));
  if (!manifest.ParseFromArray(message.data(), count)) return false;
  reseal(manifest);
  return restoreForged(pair, std::move(manifest)).has_value();
}

}  // namespace strata::test
