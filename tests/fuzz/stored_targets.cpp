#include "tests/fuzz/stored_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/layout.h"
#include "core/archive/read/piece_decoder.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/byte_io.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/host_engine.h"
#include "tests/support/lossy_samples.h"

namespace strata::test {
namespace {

std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<CodecId> everyCodec() {
  std::vector<CodecId> codecs(payloadCodecs().begin(), payloadCodecs().end());
  codecs.insert(codecs.end(), lossyCodecs().begin(), lossyCodecs().end());
  return codecs;
}

/// What the first bytes of an input choose.
struct PayloadHead {
  CodecId codec{};
  PartShape shape;
  std::size_t sources = 0;
};

constexpr std::uint32_t kMostWords = 1 << 18;

PayloadHead readHead(ByteReader& in) {
  static const std::vector<CodecId> kCodecs = everyCodec();
  static const std::vector<ElementType> kTypes = typesOfEveryWordFormat();
  PayloadHead head;
  head.codec = kCodecs[in.byte() % kCodecs.size()];
  head.shape = {wordFormat(kTypes[in.byte() % kTypes.size()]), 1, 1};
  head.shape.rows = 1 + in.fixed<std::uint16_t>();
  head.shape.columns = 1 + in.fixed<std::uint16_t>() % (1 + kMostWords / head.shape.rows);
  const auto sources = in.fixed<std::uint16_t>();
  head.sources = sources % 4 == 0 ? 0 : 1 + sources / 4 % kMostPartSources;
  return head;
}

/// An input that reads as this payload.
std::string payloadInput(CodecId codec, const PartShape& shape, std::span<const std::byte> payload,
                         std::size_t sources = 1) {
  const std::vector<CodecId> codecs = everyCodec();
  const std::vector<ElementType> types = typesOfEveryWordFormat();
  const auto typeAt =
      std::ranges::find_if(types, [&](ElementType type) { return wordFormat(type) == shape.word; });
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>(std::ranges::find(codecs, codec) - codecs.begin()));
  out.byte(static_cast<std::uint8_t>(typeAt - types.begin()));
  out.fixed(static_cast<std::uint16_t>(shape.rows - 1));
  out.fixed(static_cast<std::uint16_t>(shape.columns - 1));
  out.fixed(static_cast<std::uint16_t>(4 * sources - 3));
  out.bytes(payload);
  return textOf(out.view());
}

std::size_t varintBytes(std::uint64_t value) noexcept {
  std::size_t count = 1;
  for (; value >= 128; value >>= 7) ++count;
  return count;
}

/// Decodes all blocks into `out`, whichever of them fail; those are in `failed`.
void decodeAll(const PartDecoder& decoder, const PartShape& shape, std::span<const Bytes> sources,
               Bytes& out, std::vector<std::size_t>& failed) {
  const std::uint64_t step = decoder.blockWords() * shape.word.bytes;
  for (std::uint64_t at = 0, block = 0; at < out.size(); at += step, ++block) {
    const std::uint64_t n = std::min<std::uint64_t>(step, out.size() - at);
    std::vector<std::span<const std::byte>> from;
    for (const Bytes& source : sources) from.push_back(std::span(source).subspan(at, n));
    const auto decoded =
        decoder.decodeBlock(block, BlockSources::of(from), std::span(out).subspan(at, n));
    if (!decoded) failed.push_back(block);
  }
}

/// Gives the blocks of a payload the checksums of what they decode to: nobody is kept from that.
void resealBlocks(const BlockIndex& index, const Bytes& decoded, std::size_t wordBytes,
                  Bytes& payload, const std::byte* opened) {
  auto at = static_cast<std::size_t>(index.block(0).data() - opened);
  std::size_t end = decoded.size();
  if (at > payload.size()) return;
  for (std::size_t block = index.blockCount(); block-- > 0;) {
    const std::size_t begin = block * index.blockWords() * wordBytes;
    const std::uint32_t checksum = blockChecksum(std::span(decoded).subspan(begin, end - begin));
    const std::uint32_t stored = index.checksum(block);
    if (at < sizeof stored) return;
    at -= sizeof checksum;
    if (std::memcmp(payload.data() + at, &stored, sizeof stored) != 0) return;
    std::memcpy(payload.data() + at, &checksum, sizeof checksum);
    at -= std::min(at, varintBytes(index.block(block).size()));
    end = begin;
  }
}

class PayloadTarget final : public FuzzTarget {
 public:
  std::vector<std::string> seeds() const override {
    std::vector<std::string> all;
    for (const ElementType type : typesOfEveryWordFormat()) {
      for (const Content content : {Content::FineTuned, Content::OnePercent, Content::Constant}) {
        const PartSample sample = makeSample({wordFormat(type), 12, 40}, content, 61);
        for (const CodecId codec : payloadCodecs()) {
          const auto payload = encodeSample(codec, sample.input());
          if (payload) all.push_back(payloadInput(codec, sample.shape, *payload));
        }
      }
    }
    for (const LossyCase& c : everyLossyCase()) {
      const PartSample sample = finiteSample({wordFormat(c.type), 12, 40}, Content::FineTuned, 68);
      const auto part = encodeLossy(c.codec, sample.input(), c.settings);
      if (part) all.push_back(payloadInput(c.codec, sample.shape, part->payload));
    }
    for (const auto& pair : steppedPairs()) addSteps(*pair, all);
    return all;
  }

  std::string broken(std::string_view bytes) override {
    return brokenByPayload(std::as_bytes(std::span(bytes)));
  }

 private:
  /// Payloads of parts with several sources.
  static void addSteps(const SteppedPair& pair, std::vector<std::string>& all) {
    const Reader reader = pair.store.reader(pair.variantReport, pair.baseReader);
    for (const ManifestTensor& tensor : reader->manifest().tensors) {
      const auto layout = layoutOf(tensor);
      for (std::size_t p = 0; layout && p < tensor.parts.size(); ++p) {
        const ManifestPart& part = tensor.parts[p];
        if (part.furtherViews.empty()) continue;
        all.push_back(payloadInput(part.codec, layout->shapeOf(layout->parts[p]),
                                   reader->payload(*part.section), part.sourceCount()));
      }
    }
  }
};

/// The pack of a version whose base and manifest are whole: it never gives other files.
class PackTarget final : public FuzzTarget {
 public:
  PackTarget() : expected_(filesOf(*pair_.variant)) {}

  std::vector<std::string> seeds() const override {
    return {textOf(pair_.store.objects.at(packDigest()))};
  }

  std::string broken(std::string_view bytes) override {
    const auto pack = std::as_bytes(std::span(bytes));
    pair_.store.objects.at(packDigest()).assign(pack.begin(), pack.end());
    const auto reader =
        VersionReader::open(pair_.variantReport.manifest, pair_.baseReader, pair_.store.objects);
    if (!reader) return brokenBy(reader.error());
    const auto files = restored(**reader);
    if (!files) return brokenBy(files.error());
    if (*files != expected_) return "a damaged pack gave other files";
    return brokenOnDevice(**reader);
  }

 private:
  Digest packDigest() const { return pair_.variantReport.manifest.packs[0]; }

  /// What the CPU restores, the bodies of the CUDA kernels restore, too.
  std::string brokenOnDevice(const VersionReader& reader) {
    for (std::size_t f = 0; f < reader.manifest().files.size(); ++f) {
      const ManifestFile& file = reader.manifest().files[f];
      auto decoder = PieceDecoder::make(&device_, file.byteCount);
      if (!decoder) return decoder.error().message;
      const auto piece = decoder->decode(reader, f, 0, file.byteCount, 0);
      if (!piece) return piece.error().message;
      if (textOf(*piece) != expected_.at(file.path)) return "a device gives other bytes";
    }
    return {};
  }

  SmallPair pair_;
  Files expected_;
  Device device_{DeviceWish::Cuda, [] { return hostOpening(); }};
};

class ManifestTarget final : public FuzzTarget {
 public:
  std::vector<std::string> seeds() const override {
    std::vector<std::string> all{
        encodeMessage(pair_.variantReport.manifest, Offsets::AsTheyAre).value(),
        encodeMessage(pair_.baseReport.manifest, Offsets::AsTheyAre).value()};
    for (const auto& pair : stepped_) {
      all.push_back(encodeMessage(pair->variantReport.manifest, Offsets::AsTheyAre).value());
    }
    return all;
  }

  std::string broken(std::string_view bytes) override {
    exerciseManifest(pairOf(bytes), std::as_bytes(std::span(bytes)));
    // The same as the object that a store keeps.
    const auto reader = pair_.openVariant(std::as_bytes(std::span(bytes)));
    return reader ? std::string() : brokenBy(reader.error());
  }

 private:
  /// The one whose base the message names; packs lie with their bases.
  const VersionPair& pairOf(std::string_view message) const {
    for (const auto& pair : stepped_) {
      const auto& base = pair->baseReport.contentDigest.bytes;
      const std::string_view name(reinterpret_cast<const char*>(base.data()), base.size());
      if (message.find(name) != std::string_view::npos) return *pair;
    }
    return pair_;
  }

  SmallPair pair_;
  std::vector<std::unique_ptr<SteppedPair>> stepped_ = steppedPairs();
};

}  // namespace

std::vector<std::unique_ptr<SteppedPair>> steppedPairs() {
  std::vector<std::unique_ptr<SteppedPair>> pairs;
  pairs.push_back(std::make_unique<SteppedPair>(AdamVariant{}));
  pairs.push_back(std::make_unique<SteppedPair>(AdamVariant{.update = kernels::UpdateForm::Drift}));
  pairs.push_back(std::make_unique<SteppedPair>(std::uint64_t{6}));
  pairs.push_back(std::make_unique<SteppedPair>(ElementType::BF16));
  return pairs;
}

std::string brokenByPayload(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  const PayloadHead head = readHead(in);
  if (in.failed()) return {};
  const PartShape& shape = head.shape;
  const std::vector<Bytes> sources(head.sources, Bytes(shape.byteCount(), std::byte{0x3c}));
  Bytes payload(in.rest().begin(), in.rest().end());
  const auto decoder = openPart(head.codec, shape, in.rest(), head.sources, {});
  if (!decoder) return brokenBy(decoder.error());
  Bytes decoded(shape.byteCount());
  std::vector<std::size_t> failed;
  decodeAll(**decoder, shape, sources, decoded, failed);
  const BlockIndex* const index = (*decoder)->deviceBlocks();
  if (failed.empty() || index == nullptr) return {};
  resealBlocks(*index, decoded, shape.word.bytes, payload, in.rest().data());
  const auto again = sources.empty() ? decodeSample(head.codec, shape, payload, {})
                                     : decodeSample(head.codec, shape, payload, sources.front(), {},
                                                    std::span(sources).subspan(1));
  // A stream that is none fails whatever its checksum is.
  if (!again || *again == decoded) return {};
  return fmt::format("{}: the same payload gave other words", name(head.codec));
}

bool exerciseManifest(const VersionPair& pair, std::span<const std::byte> message) {
  constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 28;
  auto manifest = decodeMessage({reinterpret_cast<const char*>(message.data()), message.size()},
                                kMostMemory, Offsets::AsTheyAre);
  if (!manifest) return false;
  reseal(*manifest);
  return restoreForged(pair, *std::move(manifest)).has_value();
}

std::unique_ptr<FuzzTarget> makePayloadTarget() { return std::make_unique<PayloadTarget>(); }
std::unique_ptr<FuzzTarget> makePackTarget() { return std::make_unique<PackTarget>(); }
std::unique_ptr<FuzzTarget> makeManifestTarget() { return std::make_unique<ManifestTarget>(); }

}  // namespace strata::test
