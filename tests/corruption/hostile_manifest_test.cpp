#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string_view>
#include <utility>

#include "core/archive/detail/wire_format.h"
#include "core/archive/skeleton.h"
#include "tests/support/forged_manifest.h"
#include "tests/support/hostile_store.h"
#include "tests/support/manifest_message.h"

namespace strata::test {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

class HostileManifest : public testing::Test {
 protected:
  using Forge = std::function<void(ForgedManifest&)>;

  /// Forges the version's manifest and expects an error of one of the codes for bad input.
  void expectRejected(const std::string& what, const Forge& forge) const {
    ForgedManifest forged(pair_.variantReport.manifest);
    forge(forged);
    Manifest manifest = forged.manifest();
    reseal(manifest);
    const auto files = restoreForged(pair_, manifest);
    ASSERT_FALSE(files) << what;
    const ErrorCode code = files.error().code;
    EXPECT_TRUE(code == ErrorCode::CorruptData || code == ErrorCode::LimitExceeded)
        << what << ": " << files.error().message;
    EXPECT_EQ(files.error().message.find("too large for a test"), std::string::npos) << what;
  }

  void TearDown() override {
    if (kMeasuresMemory) {
      EXPECT_LT(peakMemory(), 300U << 20);
    }
  }

  static ManifestPart& part(ForgedManifest& manifest, std::size_t tensor, std::size_t index = 0) {
    return manifest.tensors[tensor].parts[index];
  }

  SmallPair pair_;
};

TEST_F(HostileManifest, IsRejectedWithShapesThatDoNotFit) {
  for (const std::uint64_t dimension : {std::uint64_t{0}, std::uint64_t{31}, kHuge, kMost}) {
    expectRejected("a dimension of " + std::to_string(dimension),
                   [&](ForgedManifest& m) { m.tensors[0].shape[0] = dimension; });
    expectRejected("one more dimension of " + std::to_string(dimension),
                   [&](ForgedManifest& m) { m.tensors[0].shape.push_back(dimension); });
  }
  expectRejected("a huge tensor in a huge file", [](ForgedManifest& m) {
    m.tensors[2].shape[0] = kHuge / 4;
    m.tensors[3].offset = kHuge + 1000;
    m.tensors[4].offset = kHuge + 10'000;
    m.files[1].byteCount = kHuge + 20'000;
  });
}

TEST_F(HostileManifest, IsRejectedWithTensorsThatOverlapOrLeaveTheirFile) {
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{100}, kHuge, kMost}) {
    expectRejected("offset " + std::to_string(offset),
                   [&](ForgedManifest& m) { m.tensors[1].offset = offset; });
  }
  expectRejected("a file that is not there", [](ForgedManifest& m) { m.tensors[4].file = 2; });
  expectRejected("files out of order", [](ForgedManifest& m) { m.tensors[0].file = 7; });
  expectRejected("tensors out of order",
                 [](ForgedManifest& m) { std::swap(m.tensors[0], m.tensors[1]); });
  expectRejected("a tensor twice", [](ForgedManifest& m) { m.tensors.push_back(m.tensors[4]); });
  expectRejected("an unknown type",
                 [](ForgedManifest& m) { m.tensors[0].type = static_cast<ElementType>(29); });
  expectRejected("another type", [](ForgedManifest& m) { m.tensors[0].type = ElementType::F64; });
}

TEST_F(HostileManifest, IsRejectedWithPartsThatDoNotTile) {
  for (const std::uint64_t count : {std::uint64_t{1}, kHuge, kMost}) {
    expectRejected("rows", [&](ForgedManifest& m) { part(m, 0).rowCount = count; });
    expectRejected("columns", [&](ForgedManifest& m) { part(m, 0).columnCount = count; });
    expectRejected("first column", [&](ForgedManifest& m) { part(m, 0).firstColumn = count; });
  }
  expectRejected("no part", [](ForgedManifest& m) { m.tensors[0].parts.clear(); });
  expectRejected("a part twice",
                 [](ForgedManifest& m) { m.tensors[0].parts.push_back(part(m, 0)); });
}

TEST_F(HostileManifest, IsRejectedWithViewsOutsideOfTheParent) {
  for (const std::uint64_t value : {std::uint64_t{1} << 20, kHuge, kMost, kMost - 3}) {
    expectRejected("offset", [&](ForgedManifest& m) { part(m, 0).view->offset = value; });
    expectRejected("stride", [&](ForgedManifest& m) { part(m, 0).view->stride = value; });
  }
  for (const std::uint32_t file : {2U, 0xffffffffU}) {
    expectRejected("file", [&](ForgedManifest& m) { part(m, 0).view->file = file; });
  }
  expectRejected("cast", [](ForgedManifest& m) { part(m, 0).view->type = ElementType::I32; });
  expectRejected("unknown type",
                 [](ForgedManifest& m) { part(m, 0).view->type = static_cast<ElementType>(77); });
  expectRejected("no view", [](ForgedManifest& m) { part(m, 0).view.reset(); });
  expectRejected("another place", [](ForgedManifest& m) { part(m, 0).view->offset = 24; });
  expectRejected("not transposed", [](ForgedManifest& m) { part(m, 0).view->transposed = false; });
}

TEST_F(HostileManifest, IsRejectedWithOwnViewsThatRunInCircles) {
  const auto pointAt = [](ForgedManifest& m, std::size_t from, std::size_t to) {
    part(m, from).view = {.offset = m.tensors[to].offset,
                          .file = m.tensors[to].file,
                          .own = true,
                          .type = m.tensors[from].type};
  };
  for (std::size_t tensor = 0; tensor < 5; ++tensor) {
    expectRejected("itself", [&](ForgedManifest& m) { pointAt(m, tensor, tensor); });
  }
  expectRejected("forward", [&](ForgedManifest& m) { pointAt(m, 0, 4); });
  expectRejected("each other", [&](ForgedManifest& m) {
    pointAt(m, 1, 4);
    pointAt(m, 4, 1);
  });
  expectRejected("a copy of a copy", [&](ForgedManifest& m) {
    pointAt(m, 2, 0);
    part(m, 4).view->offset = m.tensors[2].offset;
  });
  expectRejected("up to itself",
                 [&](ForgedManifest& m) { part(m, 4).view->offset = m.tensors[4].offset - 4; });
}

TEST_F(HostileManifest, IsRejectedWithSectionsOutsideOfThePacks) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 20, kHuge, kMost}) {
    expectRejected("offset", [&](ForgedManifest& m) { part(m, 0).section->offset = value; });
    expectRejected("bytes", [&](ForgedManifest& m) { part(m, 0).section->byteCount = value; });
    expectRejected("tables", [&](ForgedManifest& m) { m.tables[0].offset = value; });
    expectRejected("skeleton", [&](ForgedManifest& m) { m.files[1].skeleton->byteCount = value; });
  }
  expectRejected("pack", [](ForgedManifest& m) { part(m, 0).section->pack = 1; });
  expectRejected("no packs", [](ForgedManifest& m) { m.packs.clear(); });
  expectRejected("no section", [](ForgedManifest& m) { part(m, 0).section.reset(); });
}

TEST_F(HostileManifest, IsRejectedWithTablesWithoutEnd) {
  expectRejected("a hundred thousand tables", [](ForgedManifest& m) {
    const PackSection tables = m.tables[0];
    m.tables.resize(100'000, tables);
  });
}

TEST_F(HostileManifest, IsRejectedBeforeItsEntriesFillTheMemory) {
  // Sixteen million parts of nothing: two bytes each, a hundred once they are parsed. Noise keeps
  // the frame from shrinking more than a frame may.
  std::string parts;
  for (int i = 0; i < 16'000'000; ++i) parts += "\x42\x00"sv;
  std::mt19937 random(1);
  std::string noise(200'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  WireWriter fields;
  fields.fields(encodeMessage(pair_.variantReport.manifest, Offsets::Differences).value());
  fields.entry(archive::Manifest::kTensorsFieldNumber, std::exchange(parts, {}));
  fields.entry(1000, noise);
  const std::string object = objectOf(fields.bytes(), kPlainManifestVersion).value();
  const auto parsed = parseManifest(std::as_bytes(std::span(object)));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::LimitExceeded) << parsed.error().message;
}

TEST_F(HostileManifest, IsRejectedWithWhatNoStructCanHold) {
  const auto rejected = [&](const char* what, const std::function<void(archive::Manifest&)>& forge,
                            ErrorCode code = ErrorCode::CorruptData) {
    archive::Manifest message = messageOf(pair_.variantReport.manifest, Offsets::Differences);
    forge(message);
    const std::string object = objectOf(message.SerializeAsString(), kPlainManifestVersion).value();
    const auto parsed = parseManifest(std::as_bytes(std::span(object)));
    ASSERT_FALSE(parsed) << what;
    EXPECT_EQ(parsed.error().code, code) << what << ": " << parsed.error().message;
    EXPECT_NE(parsed.error().message.find(what), std::string::npos) << parsed.error().message;
  };
  const auto file = [](archive::Manifest& m) -> archive::File& { return *m.mutable_files(0); };
  const auto part = [](archive::Manifest& m) -> archive::Part& {
    return *m.mutable_tensors(0)->mutable_parts(0);
  };
  rejected("pack digest is cut", [](auto& m) { m.mutable_packs(0)->resize(31); });
  rejected("content digest is cut", [](auto& m) { m.mutable_content_digest()->resize(31); });
  rejected("content digest does not", [](auto& m) { m.clear_content_digest(); });
  rejected("parent digest is cut", [](auto& m) { m.mutable_parent_digest()->resize(31); });
  rejected("digest of file config.json is cut",
           [&](auto& m) { file(m).mutable_sha256()->pop_back(); });
  rejected("digest of file config.json is cut", [&](auto& m) { file(m).clear_sha256(); });
  for (const std::size_t bytes : {1U, 15U, 17U}) {
    rejected("bytes of checksums of its pieces",
             [&](auto& m) { file(m).set_piece_checksums(std::string(bytes, 'x')); });
  }
  rejected("codec of a skeleton 256", [&](auto& m) { file(m).set_skeleton_codec(256); });
  rejected("unknown type 300", [](auto& m) { m.mutable_tensors(0)->set_type(300); });
  rejected("unknown type of a view 257", [&](auto& m) { part(m).mutable_view()->set_type(257); });
  rejected(
      "unknown codec 300", [&](auto& m) { part(m).set_codec(300); }, ErrorCode::Unsupported);
}

TEST_F(HostileManifest, IsRejectedWithSkeletonsThatDoNotFit) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{7}, kHuge, kMost}) {
    expectRejected("skeleton bytes", [&](ForgedManifest& m) { m.files[1].skeletonBytes = count; });
    expectRejected("file bytes", [&](ForgedManifest& m) { m.files[1].byteCount = count; });
  }
  for (const std::uint64_t count : {kMostSkeletonBytes + 1, kHuge, kMost}) {
    expectRejected("a huge file", [&](ForgedManifest& m) {
      m.files[0].byteCount = count;
      m.files[0].skeletonBytes = count;
    });
  }
  expectRejected("checksum", [](ForgedManifest& m) { m.files[0].skeletonChecksum = 1; });
  expectRejected(
      "codec", [](ForgedManifest& m) { m.files[0].skeletonCodec = static_cast<SkeletonCodec>(3); });
  expectRejected("raw", [](ForgedManifest& m) { m.files[0].skeletonCodec = SkeletonCodec::Raw; });
  expectRejected("no parent", [](ForgedManifest& m) { m.files[0].skeletonParent.reset(); });
  for (const std::uint32_t parent : {1U, 2U, 0xfffffffeU}) {
    expectRejected("parent", [&](ForgedManifest& m) { m.files[0].skeletonParent = parent; });
  }
}

TEST_F(HostileManifest, IsRejectedWithPathsOutsideOfTheModel) {
  for (const char* path :
       {"", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", "./a", "a/..", "..", "."}) {
    expectRejected(std::string("path ") + path, [&](ForgedManifest& m) { m.files[0].path = path; });
  }
  expectRejected("a long path",
                 [](ForgedManifest& m) { m.files[0].path = std::string(5000, 'a'); });
  expectRejected("a zero byte",
                 [](ForgedManifest& m) { m.files[0].path = std::string("a\0b", 3); });
  expectRejected("the same path twice",
                 [](ForgedManifest& m) { m.files[0].path = "model.safetensors"; });
  expectRejected("checksums of other pieces",
                 [](ForgedManifest& m) { m.files[0].pieceChecksums.resize(2); });
  expectRejected("another digest",
                 [](ForgedManifest& m) { m.files[0].sha256.bytes[3] ^= std::byte{1}; });
}

TEST_F(HostileManifest, IsRejectedWithADepthThatDoesNotFitItsParent) {
  for (const std::uint32_t depth : {0U, 65U, 0xffffffffU}) {
    expectRejected("depth", [&](ForgedManifest& m) { m.depth = depth; });
  }
}

TEST_F(HostileManifest, IsRejectedUnlessItsContentDigestFitsItsFiles) {
  Manifest manifest = pair_.variantReport.manifest;
  manifest.contentDigest.bytes.fill(std::byte{'x'});
  const auto files = restoreForged(pair_, manifest);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::CorruptData);
}

TEST_F(HostileManifest, SaysWhichCodecItDoesNotKnow) {
  ForgedManifest forged(pair_.variantReport.manifest);
  part(forged, 0).codec = static_cast<CodecId>(200);
  const auto files = restoreForged(pair_, forged.manifest());
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::Unsupported);
  EXPECT_NE(files.error().message.find("200"), std::string::npos);
}

TEST_F(HostileManifest, IsRejectedWithAnotherCodecForTheSameBytes) {
  for (const CodecId codec :
       {CodecId::Raw, CodecId::Zstd, CodecId::Planes, CodecId::Same, CodecId::Xor}) {
    expectRejected("codec " + std::string(name(codec)), [&](ForgedManifest& m) {
      if (part(m, 0).codec != codec) {
        part(m, 0).codec = codec;
      } else {
        part(m, 0).view.reset();
      }
    });
  }
}

}  // namespace
}  // namespace strata::test
