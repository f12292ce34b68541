#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "core/archive/detail/field_reader.h"
#include "core/archive/detail/manifest_message.h"
#include "core/archive/detail/manifest_offsets.h"
#include "core/archive/detail/wire_format.h"

namespace strata {
namespace {

constexpr std::uint32_t varint(std::uint32_t field) { return wireTag(field, WireType::Varint); }
constexpr std::uint32_t fixed64(std::uint32_t field) { return wireTag(field, WireType::Fixed64); }
constexpr std::uint32_t fixed32(std::uint32_t field) { return wireTag(field, WireType::Fixed32); }
constexpr std::uint32_t run(std::uint32_t field) { return wireTag(field, WireType::Run); }

/// Numbers in a packed list.
std::size_t packedCount(std::string_view numbers) noexcept {
  std::size_t count = 0;
  for (const char byte : numbers) count += (static_cast<unsigned char>(byte) & 0x80U) == 0 ? 1 : 0;
  return count;
}

/// Without anything, but with the room of its lists.
void empty(ManifestTensor& tensor) {
  ManifestTensor fresh;
  fresh.name = std::move(tensor.name);
  fresh.name.clear();
  fresh.shape = std::move(tensor.shape);
  fresh.shape.clear();
  fresh.parts = std::move(tensor.parts);
  fresh.parts.clear();
  tensor = std::move(fresh);
}

/// Reads a manifest's fields by their numbers in manifest.proto. Fields of another kind than there
/// are unknown fields, as protobuf has it. The first problem ends the reading.
class MessageReader : FieldReader {
 public:
  using FieldReader::FieldReader;

  Result<Manifest> read(std::string_view message, Offsets offsets) {
    Manifest manifest;
    const EntryCounts counts(message);
    makeRoom(manifest.packs, counts.of(9));
    makeRoom(manifest.files, counts.of(10));
    makeRoom(manifest.tables, counts.of(12));
    makeRoom(manifest.metadata, counts.of(13));
    makeRoom(manifest.quality, counts.of(15));
    manifest.formatVersion = 0;
    if (!hasFailed()) readManifest(message, manifest);
    STRATA_TRY(outcome());
    std::optional<OffsetWalk> walk;
    if (offsets == Offsets::Differences) {
      walk.emplace(manifest.packs.size(), OffsetWalk::Way::FromDifferences);
    }
    STRATA_TRY(readTensors(message, walk ? &*walk : nullptr, manifest));
    return manifest;
  }

  void tensorAsItIs(std::string_view message, ManifestTensor& out) { tensor(message, out); }

 private:
  void readManifest(std::string_view message, Manifest& out) {
    eachField(message, out.unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case varint(1):
          return number(in.varint(), out.formatVersion);
        case run(2):
          return digest(in.run(), "content digest", out.contentDigest);
        case run(3):
          return parentDigest(in.run(), out.parentDigest);
        case varint(4):
          return number(in.varint(), out.depth);
        case run(5):
          return text(in.run(), out.format);
        case run(6):
          return text(in.run(), out.effort);
        case run(7):
          return text(in.run(), out.profile);
        case varint(8):
          return number(in.varint() != 0, out.lossy);
        case run(9):
          return digest(in.run(), "pack digest", out.packs.emplace_back());
        case run(10):
          return file(in.run(), out.files.emplace_back());
        case run(11):
          in.run();  // a tensor: once all else is known
          return true;
        case run(12):
          return section(in.run(), out.tables.emplace_back());
        case run(13):
          return entry(in.run(), out.metadata.emplace_back());
        case run(14):
          return originalDigest(in, tag, out);
        case run(15):
          return score(in.run(), out.quality.emplace_back());
        case run(16):
          return text(in.run(), out.settings);
        case fixed32(17):
          return number(in.fixedFloat(), out.relativeError);
        case fixed32(18):
          return number(in.fixedFloat(), out.relativeChange);
        case varint(19):
          return number(in.varint(), out.changeLeftOut);
        default:
          return false;
      }
    });
  }

  /// The tensors come behind all else, whatever the message's order: where the first section of a
  /// pack is expected hangs on the files.
  Result<void> readTensors(std::string_view message, OffsetWalk* walk, Manifest& out) {
    if (walk != nullptr) {
      for (ManifestFile& one : out.files) STRATA_TRY(walk->file(one));
    }
    ManifestTensor tensor;
    WireReader in(message);
    while (const std::uint32_t tag = in.tag()) {
      if (tag != run(11)) {
        in.skip(tag);
        continue;
      }
      const std::uint64_t before = bytesLeft();
      empty(tensor);
      this->tensor(in.run(), tensor);
      STRATA_TRY(outcome());
      if (walk != nullptr) STRATA_TRY(walk->tensor(tensor));
      out.tensors.push_back(tensor);
      giveBackTo(before);
      takeMemory(out.tensors.messageOf(out.tensors.size() - 1).size() + sizeof(std::size_t));
    }
    if (walk != nullptr) {
      for (PackSection& tables : out.tables) STRATA_TRY(walk->section(tables));
    }
    return outcome();
  }

  /// For people: one that is none stays an unknown field.
  bool originalDigest(WireReader& in, std::uint32_t tag, Manifest& out) {
    WireReader value = in;
    out.originalDigest = digestFromBytes(value.run());
    if (out.originalDigest) {
      in = value;
    } else {
      keep(in.skip(tag), out.unknown);
    }
    return true;
  }

  bool file(std::string_view message, ManifestFile& out) {
    std::size_t digestBytes = 0;
    eachField(message, out.unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case run(1):
          return text(in.run(), out.path);
        case varint(2):
          return number(in.varint(), out.byteCount);
        case run(3): {
          const std::string_view bytes = in.run();
          digestBytes = bytes.size();
          return digestBytes != sizeof(Digest) || digest(bytes, "digest", out.sha256);
        }
        case varint(4):
          return choice(in, tag, out.kind, out.unknown);
        case run(5):
          return section(in.run(), presentIn(out.skeleton));
        case varint(6):
          return number(in.varint(), out.skeletonBytes);
        case varint(7):
          return number(in.varint(), out.skeletonChecksum);
        case varint(8):
          return skeletonParent(static_cast<std::uint32_t>(in.varint()), out);
        case varint(9):
          return id(in, ErrorCode::CorruptData, "codec of a skeleton", out.skeletonCodec);
        case run(10):
          return pieceChecksums(in.run(), out);
        case varint(11):
          return number(in.varint(), out.mode);
        default:
          return false;
      }
    });
    if (digestBytes != sizeof(Digest)) {
      refuse(ErrorCode::CorruptData, "digest of file " + out.path + " is cut");
    }
    return true;
  }

  static bool skeletonParent(std::uint32_t number, ManifestFile& out) {
    out.skeletonParent.reset();
    if (number != 0) out.skeletonParent = number - 1;
    return true;
  }

  bool pieceChecksums(std::string_view bytes, ManifestFile& out) {
    const std::size_t count = bytes.size() / sizeof(PieceChecksum);
    if (count * sizeof(PieceChecksum) != bytes.size()) {
      refuse(ErrorCode::CorruptData,
             fmt::format("file {} has {} bytes of checksums of its pieces, which are no multiple "
                         "of {}",
                         out.path, bytes.size(), sizeof(PieceChecksum)));
      return true;
    }
    out.pieceChecksums.clear();
    makeRoom(out.pieceChecksums, count);
    if (hasFailed() || count == 0) return true;
    out.pieceChecksums.resize(count);
    std::memcpy(out.pieceChecksums.data(), bytes.data(), bytes.size());
    return true;
  }

  bool tensor(std::string_view message, ManifestTensor& out) {
    makeRoom(out.parts, EntryCounts(message).of(8));
    eachField(message, out.unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case run(1):
          return text(in.run(), out.name);
        case varint(2):
          return id(in, ErrorCode::CorruptData, "type", out.type);
        case varint(3):
          return dimension(in.varint(), out);
        case run(3):
          return shape(in.run(), out);
        case varint(4):
          return number(in.varint(), out.file);
        case varint(5):
          return number(in.varint(), out.offset);
        case varint(6):
          return choice(in, tag, out.kind, out.unknown);
        case fixed64(7):
          return number(in.fixed64(), out.checksum);
        case run(8):
          return part(in.run(), out.parts.emplace_back());
        case run(9):
          return rareText(in.run(), out.parentName);
        case fixed32(10):
          return number(in.fixedFloat(), out.changed);
        case fixed32(11):
          return number(in.fixedFloat(), out.relativeChange);
        case fixed32(12):
          return number(in.fixedFloat(), out.relativeError);
        default:
          return false;
      }
    });
    const auto settleType = [&](PartView& view) {
      if (view.type == ElementType::Bytes) view.type = out.type;
    };
    for (ManifestPart& one : out.parts) {
      if (one.view) settleType(*one.view);
      for (FurtherView& view : one.furtherViews.items()) settleType(view);
    }
    return true;
  }

  bool dimension(std::uint64_t value, ManifestTensor& out) {
    takeMemory(sizeof value);
    if (!hasFailed()) out.shape.push_back(value);
    return true;
  }

  bool shape(std::string_view numbers, ManifestTensor& out) {
    makeRoom(out.shape, packedCount(numbers));
    WireReader in(numbers);
    while (!hasFailed() && !in.atEnd()) out.shape.push_back(in.varint());
    if (in.failed()) refuse(ErrorCode::CorruptData, "does not decode");
    return true;
  }

  bool part(std::string_view message, ManifestPart& out) {
    eachField(message, out.unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case varint(1):
          return number(in.varint(), out.rowCount);
        case varint(2):
          return number(in.varint(), out.firstColumn);
        case varint(3):
          return number(in.varint(), out.columnCount);
        case run(4):
          return firstView(in.run(), presentIn(out.view), out.unknown);
        case varint(5):
          return id(in, ErrorCode::Unsupported, "codec", out.codec);
        case run(6):
          return section(in.run(), presentIn(out.section));
        case run(7):
          return furtherView(in.run(), out);
        default:
          return false;
      }
    });
    return true;
  }

  bool furtherView(std::string_view message, ManifestPart& part) {
    if (part.furtherViews.empty()) takeMemory(sizeof(std::vector<FurtherView>));
    takeMemory(sizeof(FurtherView));
    if (hasFailed()) return true;
    FurtherView& out = part.furtherViews.append({});
    return view(message, out, out.unknown);
  }

  /// What is unknown of the view is kept as a view of its own: a reader joins the two.
  bool firstView(std::string_view message, PartView& out, RareText& unknown) {
    RareText ofView;
    view(message, out, ofView);
    if (ofView.empty()) return true;
    WireWriter kept;
    kept.entry(4, ofView.view());
    keep(kept.bytes(), unknown);
    return true;
  }

  bool view(std::string_view message, PartView& out, RareText& unknown) {
    eachField(message, unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case varint(1):
          return number(in.varint() != 0, out.own);
        case varint(2):
          return number(in.varint(), out.file);
        case varint(3):
          return number(in.varint(), out.offset);
        case varint(4):
          return number(in.varint(), out.stride);
        case varint(5):
          return number(in.varint() != 0, out.transposed);
        case varint(6):
          return id(in, ErrorCode::CorruptData, "type of a view", out.type);
        default:
          return false;
      }
    });
    return true;
  }

  bool section(std::string_view message, PackSection& out) {
    eachField(message, out.unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case varint(1):
          return number(in.varint(), out.pack);
        case varint(2):
          return number(in.varint(), out.offset);
        case varint(3):
          return number(in.varint(), out.byteCount);
        default:
          return false;
      }
    });
    return true;
  }

  bool entry(std::string_view message, MetadataEntry& out) {
    eachField(message, out.unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case run(1):
          return text(in.run(), out.key);
        case run(2):
          return text(in.run(), out.value);
        default:
          return false;
      }
    });
    return true;
  }

  bool score(std::string_view message, QualityScore& out) {
    eachField(message, out.unknown, [&](std::uint32_t tag, WireReader& in) {
      switch (tag) {
        case run(1):
          return text(in.run(), out.data);
        case run(2):
          return text(in.run(), out.metric);
        case fixed64(3):
          return number(in.fixedDouble(), out.reference);
        case fixed64(4):
          return number(in.fixedDouble(), out.score);
        case varint(5):
          return number(in.varint(), out.samples);
        case fixed64(6):
          return number(in.fixedDouble(), out.divergence);
        case fixed64(7):
          return number(in.fixedDouble(), out.pValue);
        default:
          return false;
      }
    });
    return true;
  }
};

}  // namespace

Result<Manifest> decodeMessage(std::string_view message, std::uint64_t mostBytes, Offsets offsets) {
  return MessageReader(mostBytes).read(message, offsets);
}

void readTensor(std::string_view message, ManifestTensor& out) {
  empty(out);
  MessageReader(std::numeric_limits<std::uint64_t>::max(), FieldReader::Texts::AsTheyAre)
      .tensorAsItIs(message, out);
}

std::string_view nameOfTensor(std::string_view message) noexcept {
  WireReader in(message);
  return in.tag() == run(1) ? in.run() : std::string_view();
}

}  // namespace strata
