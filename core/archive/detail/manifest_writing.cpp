#include <cstddef>
#include <optional>
#include <vector>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/detail/manifest_offsets.h"
#include "core/archive/detail/wire_format.h"
#include "core/memory.h"

namespace strata {
namespace {

/// Of a spent manifest: so many tensors are written before their memory is given back.
constexpr std::size_t kTensorsAtOnce = 1 << 16;

template <typename Bytes>
std::string_view textOf(const Bytes& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Writes a manifest's fields by their numbers in manifest.proto.
class MessageWriter {
 public:
  /// `spent` is null, or the manifest, whose tensors go as they are written.
  MessageWriter(const Manifest& manifest, Offsets offsets, Manifest* spent = nullptr)
      : manifest_(manifest), spent_(spent) {
    if (offsets == Offsets::Differences) {
      offsets_.emplace(manifest.packs.size(), OffsetWalk::Way::ToDifferences);
    }
  }

  Result<std::string> write() {
    const Manifest& m = manifest_;
    out_.number(1, offsets_ ? neededVersion(m) : m.formatVersion);
    out_.run(2, textOf(m.contentDigest.bytes));
    if (m.parentDigest) out_.run(3, textOf(m.parentDigest->bytes));
    out_.number(4, m.depth);
    out_.run(5, m.format);
    out_.run(6, m.effort);
    out_.run(7, m.profile);
    out_.number(8, m.lossy ? 1 : 0);
    for (const Digest& pack : m.packs) out_.entry(9, textOf(pack.bytes));
    for (const ManifestFile& one : m.files) STRATA_TRY(file(one));
    for (std::size_t t = 0; t < m.tensors.size(); ++t) {
      STRATA_TRY(tensor(m.tensors[t]));
      if (spent_ == nullptr) continue;
      spent_->tensors[t] = {};
      if (t % kTensorsAtOnce == kTensorsAtOnce - 1) giveBackFreedMemory();
    }
    for (const PackSection& one : m.tables) STRATA_TRY(table(one));
    for (const MetadataEntry& one : m.metadata) entry(one);
    if (m.originalDigest) out_.run(14, textOf(m.originalDigest->bytes));
    for (const QualityScore& one : m.quality) score(one);
    out_.run(16, m.settings);
    out_.real(17, m.relativeError);
    out_.real(18, m.relativeChange);
    out_.number(19, m.changeLeftOut);
    out_.fields(m.unknown.view());
    return out_.take();
  }

 private:
  Result<void> file(const ManifestFile& file) {
    std::optional<PackSection> skeleton = file.skeleton;
    if (offsets_ && skeleton) STRATA_TRY(offsets_->section(*skeleton));
    out_.message(10, [&] {
      out_.run(1, file.path);
      out_.number(2, file.byteCount);
      out_.run(3, textOf(file.sha256.bytes));
      out_.number(4, static_cast<std::uint32_t>(file.kind));
      if (skeleton) section(5, *skeleton);
      out_.number(6, file.skeletonBytes);
      out_.number(7, file.skeletonChecksum);
      out_.number(8, file.skeletonParent ? *file.skeletonParent + std::uint64_t{1} : 0);
      out_.number(9, static_cast<std::uint32_t>(file.skeletonCodec));
      out_.run(10, {reinterpret_cast<const char*>(file.pieceChecksums.data()),
                    file.pieceChecksums.size() * sizeof(PieceChecksum)});
      out_.number(11, file.mode);
      out_.fields(file.unknown.view());
    });
    return {};
  }

  Result<void> tensor(const ManifestTensor& tensor) {
    const ManifestTensor* stored = &tensor;
    if (offsets_) {
      tensorWithDifferences_ = tensor;
      STRATA_TRY(offsets_->tensor(tensorWithDifferences_));
      stored = &tensorWithDifferences_;
    }
    out_.message(11, [&] { fieldsOf(*stored); });
    return {};
  }

  void fieldsOf(const ManifestTensor& tensor) {
    out_.run(1, tensor.name);
    out_.number(2, static_cast<std::uint32_t>(tensor.type));
    if (!tensor.shape.empty()) {
      out_.message(3, [&] {
        for (const std::uint64_t dimension : tensor.shape) out_.packed(dimension);
      });
    }
    out_.number(4, tensor.file);
    out_.number(5, tensor.offset);
    out_.number(6, static_cast<std::uint32_t>(tensor.kind));
    out_.fixed64(7, tensor.checksum);
    for (const ManifestPart& one : tensor.parts) part(one, tensor.type);
    out_.run(9, tensor.parentName.view());
    out_.real(10, tensor.changed);
    out_.real(11, tensor.relativeChange);
    out_.real(12, tensor.relativeError);
    out_.fields(tensor.unknown.view());
  }

  void part(const ManifestPart& part, ElementType type) {
    out_.message(8, [&] {
      out_.number(1, part.rowCount);
      out_.number(2, part.firstColumn);
      out_.number(3, part.columnCount);
      if (part.view) view(4, *part.view, type, {});
      out_.number(5, static_cast<std::uint32_t>(part.codec));
      if (part.section) section(6, *part.section);
      for (const FurtherView& one : part.furtherViews.view()) {
        view(7, one, type, one.unknown.view());
      }
      out_.fields(part.unknown.view());
    });
  }

  void view(std::uint32_t field, const PartView& view, ElementType type, std::string_view unknown) {
    out_.message(field, [&] {
      out_.number(1, view.own ? 1 : 0);
      out_.number(2, view.file);
      out_.number(3, view.offset);
      out_.number(4, view.stride);
      out_.number(5, view.transposed ? 1 : 0);
      if (view.type != type) out_.number(6, static_cast<std::uint32_t>(view.type));
      out_.fields(unknown);
    });
  }

  Result<void> table(const PackSection& table) {
    PackSection stored = table;
    if (offsets_) STRATA_TRY(offsets_->section(stored));
    section(12, stored);
    return {};
  }

  void section(std::uint32_t field, const PackSection& section) {
    out_.message(field, [&] {
      out_.number(1, section.pack);
      out_.number(2, section.offset);
      out_.number(3, section.byteCount);
      out_.fields(section.unknown.view());
    });
  }

  void entry(const MetadataEntry& entry) {
    out_.message(13, [&] {
      out_.run(1, entry.key);
      out_.run(2, entry.value);
      out_.fields(entry.unknown.view());
    });
  }

  void score(const QualityScore& score) {
    out_.message(15, [&] {
      out_.run(1, score.data);
      out_.run(2, score.metric);
      out_.real(3, score.reference);
      out_.real(4, score.score);
      out_.number(5, score.samples);
      out_.real(6, score.divergence);
      out_.real(7, score.pValue);
      out_.fields(score.unknown.view());
    });
  }

  const Manifest& manifest_;
  Manifest* spent_;
  std::optional<OffsetWalk> offsets_;
  ManifestTensor tensorWithDifferences_;  ///< the tensor that is written, with differences
  WireWriter out_;
};

}  // namespace

Result<std::string> encodeMessage(const Manifest& manifest, Offsets offsets) {
  return MessageWriter(manifest, offsets).write();
}

Result<std::string> serializeSpent(Manifest& manifest) {
  const std::uint32_t version = neededVersion(manifest);
  STRATA_TRY(const std::string message,
             MessageWriter(manifest, Offsets::Differences, &manifest).write());
  manifest.tensors = std::vector<ManifestTensor>();
  return objectOf(message, version);
}

}  // namespace strata
