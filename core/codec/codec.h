#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/codec/codec_id.h"
#include "core/model/element_type.h"
#include "core/result.h"

namespace strata::kernels {
struct DevicePart;
}  // namespace strata::kernels

namespace strata {

/// A part as the codecs see it: `rows` x `columns` words, row by row.
struct PartShape {
  WordFormat word;
  std::uint64_t rows = 1;
  std::uint64_t columns = 0;

  std::uint64_t wordCount() const noexcept { return rows * columns; }
  std::uint64_t byteCount() const noexcept { return wordCount() * word.bytes; }
};

/// Most words of a part that has a payload: what a reader holds in memory at once.
inline constexpr std::uint64_t kMostPartWords = std::uint64_t{1} << 24;

/// What an encoder is given. Views are borrowed for the call.
struct EncodeInput {
  PartShape shape;
  std::span<const std::byte> words;   ///< shape.byteCount() bytes
  std::span<const std::byte> parent;  ///< as many, or empty where there is no parent
  /// What a predictor takes beside `parent`, in its order; of as many bytes each.
  std::span<const std::span<const std::byte>> further = {};
};

/// The words of one block of each source that a part has, in their order.
struct BlockSources {
  std::span<const std::byte> parent = {};  ///< of the first; empty if the codec needs none
  std::span<const std::span<const std::byte>> further = {};

  BlockSources() = default;
  /// Of a part with one source.
  BlockSources(std::span<const std::byte> words) : parent(words) {}  // NOLINT: mostly the only one
  static BlockSources of(std::span<const std::span<const std::byte>> all) noexcept {
    BlockSources sources;
    if (all.empty()) return sources;
    sources.parent = all.front();
    sources.further = all.subspan(1);
    return sources;
  }
};

class BlockIndex;
class DeviceInput;

/// One opened payload: its header is read and checked, its tables are built.
///
/// Borrows the payload. Safe to use from any thread.
class PartDecoder {
 public:
  virtual ~PartDecoder() = default;

  /// Words of every block but the last.
  virtual std::uint64_t blockWords() const noexcept = 0;

  /// Decodes block `index` into `out`, whose size is that block's. `sources` holds the words of the
  /// same block there, and not more of them than openPart() was told of.
  /// The block is checked against its checksum: fails with CorruptData, `out` then holds
  /// unspecified values.
  virtual Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                                   std::span<std::byte> out) const = 0;

  /// Where the blocks lie that a device can decode; null where it has no kernel for the codec.
  virtual const BlockIndex* deviceBlocks() const noexcept { return nullptr; }
  /// What a device needs to decode them; arrays are added to `input`. Only if deviceBlocks() gives
  /// an index.
  virtual kernels::DevicePart deviceForm(DeviceInput& input) const;
};

struct TableSet;

/// Tables that the payloads of one version share; index as in the manifest.
using SharedTables = std::vector<std::shared_ptr<const TableSet>>;

/// Opens an untrusted payload. `sourceCount` says of how many sources words will be there.
/// Fails with CorruptData if it breaks docs/FORMAT.md, Unsupported for an unknown codec.
Result<std::unique_ptr<PartDecoder>> openPart(CodecId codec, const PartShape& shape,
                                              std::span<const std::byte> payload,
                                              std::size_t sourceCount, const SharedTables& shared);

/// Every exact codec that has a payload: for benches, conformance tests and fuzzers.
std::span<const CodecId> payloadCodecs() noexcept;
/// Every lossy one (core/codec/lossy/lossy_codec.h). All take f32, f16 and bf16 words with a
/// parent; `moments` takes no notice of that.
std::span<const CodecId> lossyCodecs() noexcept;
/// Names of those that a user may choose for weights, as messages list them.
std::string lossyCodecNames();
bool isLossy(CodecId codec) noexcept;
/// Whether the codec codes a difference to a parent.
bool needsParent(CodecId codec) noexcept;

}  // namespace strata
