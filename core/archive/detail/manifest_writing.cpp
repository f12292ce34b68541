#include <cstddef>
#include <optional>
#include <vector>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/detail/manifest_offsets.h"
#include "core/archive/detail/wire_format.h"

namespace strata {
namespace {

template <typename Bytes>
std::string_view textOf(const Bytes& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void writeSection(std::uint32_t field, const PackSection& section, WireWriter& out) {
  out.message(field, [&] {
    out.number(1, section.pack);
    out.number(2, section.offset);
    out.number(3, section.byteCount);
    out.fields(section.unknown.view());
  });
}

void writeView(std::uint32_t field, const PartView& view, ElementType type,
               std::string_view unknown, WireWriter& out) {
  out.message(field, [&] {
    out.number(1, view.own ? 1 : 0);
    out.number(2, view.file);
    out.number(3, view.offset);
    out.number(4, view.stride);
    out.number(5, view.transposed ? 1 : 0);
    if (view.type != type) out.number(6, static_cast<std::uint32_t>(view.type));
    out.fields(unknown);
  });
}

void writePart(const ManifestPart& part, ElementType type, WireWriter& out) {
  out.message(8, [&] {
    out.number(1, part.rowCount);
    out.number(2, part.firstColumn);
    out.number(3, part.columnCount);
    if (part.view) writeView(4, *part.view, type, {}, out);
    out.number(5, static_cast<std::uint32_t>(part.codec));
    if (part.section) writeSection(6, *part.section, out);
    for (const FurtherView& one : part.furtherViews.view()) {
      writeView(7, one, type, one.unknown.view(), out);
    }
    out.fields(part.unknown.view());
  });
}

/// Writes a manifest's fields by their numbers in manifest.proto.
class MessageWriter {
 public:
  MessageWriter(const Manifest& manifest, Offsets offsets) : manifest_(manifest) {
    if (offsets == Offsets::Differences) {
      offsets_.emplace(manifest.packs.size(), OffsetWalk::Way::ToDifferences);
    }
  }

  Result<std::string> write() {
    const Manifest& m = manifest_;
    out_.reserve(m.tensors.byteCount());
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
    for (std::size_t t = 0; t < m.tensors.size(); ++t) STRATA_TRY(tensor(t));
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
      if (skeleton) writeSection(5, *skeleton, out_);
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

  Result<void> tensor(std::size_t index) {
    if (!offsets_) {
      out_.entry(11, manifest_.tensors.messageOf(index));
      return {};
    }
    manifest_.tensors.read(index, tensor_);
    STRATA_TRY(offsets_->tensor(tensor_));
    out_.message(11, [&] { writeTensor(tensor_, out_); });
    return {};
  }

  Result<void> table(const PackSection& table) {
    PackSection stored = table;
    if (offsets_) STRATA_TRY(offsets_->section(stored));
    writeSection(12, stored, out_);
    return {};
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
  std::optional<OffsetWalk> offsets_;
  ManifestTensor tensor_;  ///< the one that is written, with differences
  WireWriter out_;
};

}  // namespace

Result<std::string> encodeMessage(const Manifest& manifest, Offsets offsets) {
  return MessageWriter(manifest, offsets).write();
}

void writeTensor(const ManifestTensor& tensor, WireWriter& out) {
  out.run(1, tensor.name);
  out.number(2, static_cast<std::uint32_t>(tensor.type));
  if (!tensor.shape.empty()) {
    out.message(3, [&] {
      for (const std::uint64_t dimension : tensor.shape) out.packed(dimension);
    });
  }
  out.number(4, tensor.file);
  out.number(5, tensor.offset);
  out.number(6, static_cast<std::uint32_t>(tensor.kind));
  out.fixed64(7, tensor.checksum);
  for (const ManifestPart& part : tensor.parts) writePart(part, tensor.type, out);
  out.run(9, tensor.parentName.view());
  out.real(10, tensor.changed);
  out.real(11, tensor.relativeChange);
  out.real(12, tensor.relativeError);
  out.fields(tensor.unknown.view());
}

}  // namespace strata
