#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string_view>
#include <utility>

#include "core/archive/skeleton.h"
#include "tests/support/hostile_store.h"

namespace strata::test {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

class HostileManifest : public testing::Test {
 protected:
  using Forge = std::function<void(Manifest&)>;

  /// Forges the version's manifest and expects an error of one of the codes for bad input.
  void expectRejected(const std::string& what, const Forge& forge) const {
    Manifest manifest = pair_.variantReport.manifest;
    forge(manifest);
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

  static archive::Part& part(Manifest& manifest, int tensor, int index = 0) {
    return *manifest.mutable_tensors(tensor)->mutable_parts(index);
  }

  SmallPair pair_;
};

TEST_F(HostileManifest, IsRejectedWithShapesThatDoNotFit) {
  for (const std::uint64_t dimension : {std::uint64_t{0}, std::uint64_t{31}, kHuge, kMost}) {
    expectRejected("a dimension of " + std::to_string(dimension),
                   [&](Manifest& m) { m.mutable_tensors(0)->set_shape(0, dimension); });
    expectRejected("one more dimension of " + std::to_string(dimension),
                   [&](Manifest& m) { m.mutable_tensors(0)->add_shape(dimension); });
  }
  expectRejected("a huge tensor in a huge file", [](Manifest& m) {
    m.mutable_tensors(2)->set_shape(0, kHuge / 4);
    m.mutable_tensors(3)->set_offset(kHuge + 1000);
    m.mutable_tensors(4)->set_offset(kHuge + 10'000);
    m.mutable_files(1)->set_byte_count(kHuge + 20'000);
  });
}

TEST_F(HostileManifest, IsRejectedWithTensorsThatOverlapOrLeaveTheirFile) {
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{100}, kHuge, kMost}) {
    expectRejected("offset " + std::to_string(offset),
                   [&](Manifest& m) { m.mutable_tensors(1)->set_offset(offset); });
  }
  expectRejected("a file that is not there",
                 [](Manifest& m) { m.mutable_tensors(4)->set_file(2); });
  expectRejected("files out of order", [](Manifest& m) { m.mutable_tensors(0)->set_file(7); });
  expectRejected("tensors out of order",
                 [](Manifest& m) { m.mutable_tensors()->SwapElements(0, 1); });
  expectRejected("a tensor twice", [](Manifest& m) { *m.add_tensors() = m.tensors(4); });
  expectRejected("an unknown type", [](Manifest& m) { m.mutable_tensors(0)->set_type(29); });
  expectRejected("another type", [](Manifest& m) { m.mutable_tensors(0)->set_type(2); });
}

TEST_F(HostileManifest, IsRejectedWithPartsThatDoNotTile) {
  for (const std::uint64_t count : {std::uint64_t{1}, kHuge, kMost}) {
    expectRejected("rows", [&](Manifest& m) { part(m, 0).set_row_count(count); });
    expectRejected("columns", [&](Manifest& m) { part(m, 0).set_column_count(count); });
    expectRejected("first column", [&](Manifest& m) { part(m, 0).set_first_column(count); });
  }
  expectRejected("no part", [](Manifest& m) { m.mutable_tensors(0)->clear_parts(); });
  expectRejected("a part twice",
                 [](Manifest& m) { *m.mutable_tensors(0)->add_parts() = m.tensors(0).parts(0); });
}

TEST_F(HostileManifest, IsRejectedWithViewsOutsideOfTheParent) {
  for (const std::uint64_t value : {std::uint64_t{1} << 20, kHuge, kMost, kMost - 3}) {
    expectRejected("offset", [&](Manifest& m) { part(m, 0).mutable_view()->set_offset(value); });
    expectRejected("stride", [&](Manifest& m) { part(m, 0).mutable_view()->set_stride(value); });
  }
  for (const std::uint32_t file : {2U, 0xffffffffU}) {
    expectRejected("file", [&](Manifest& m) { part(m, 0).mutable_view()->set_file(file); });
  }
  expectRejected("cast", [](Manifest& m) { part(m, 0).mutable_view()->set_type(9); });
  expectRejected("unknown type", [](Manifest& m) { part(m, 0).mutable_view()->set_type(77); });
  expectRejected("no view", [](Manifest& m) { part(m, 0).clear_view(); });
  expectRejected("another place", [](Manifest& m) { part(m, 0).mutable_view()->set_offset(24); });
  expectRejected("not transposed",
                 [](Manifest& m) { part(m, 0).mutable_view()->set_transposed(false); });
}

TEST_F(HostileManifest, IsRejectedWithOwnViewsThatRunInCircles) {
  const auto pointAt = [](Manifest& m, int from, int to) {
    archive::View& view = *part(m, from).mutable_view();
    view.Clear();
    view.set_own(true);
    view.set_file(m.tensors(to).file());
    view.set_offset(m.tensors(to).offset());
  };
  for (int tensor = 0; tensor < 5; ++tensor) {
    expectRejected("itself", [&](Manifest& m) { pointAt(m, tensor, tensor); });
  }
  expectRejected("forward", [&](Manifest& m) { pointAt(m, 0, 4); });
  expectRejected("each other", [&](Manifest& m) {
    pointAt(m, 1, 4);
    pointAt(m, 4, 1);
  });
  expectRejected("a copy of a copy", [&](Manifest& m) {
    pointAt(m, 2, 0);
    part(m, 4).mutable_view()->set_offset(m.tensors(2).offset());
  });
  expectRejected("up to itself", [&](Manifest& m) {
    part(m, 4).mutable_view()->set_offset(m.tensors(4).offset() - 4);
  });
}

TEST_F(HostileManifest, IsRejectedWithSectionsOutsideOfThePacks) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1} << 20, kHuge, kMost}) {
    expectRejected("offset", [&](Manifest& m) { part(m, 0).mutable_section()->set_offset(value); });
    expectRejected("bytes",
                   [&](Manifest& m) { part(m, 0).mutable_section()->set_byte_count(value); });
    expectRejected("tables", [&](Manifest& m) { m.mutable_tables(0)->set_offset(value); });
    expectRejected("skeleton", [&](Manifest& m) {
      m.mutable_files(1)->mutable_skeleton()->set_byte_count(value);
    });
  }
  expectRejected("pack", [](Manifest& m) { part(m, 0).mutable_section()->set_pack(1); });
  expectRejected("no packs", [](Manifest& m) { m.clear_packs(); });
  expectRejected("a cut pack digest", [](Manifest& m) { m.mutable_packs(0)->resize(31); });
  expectRejected("no section", [](Manifest& m) { part(m, 0).clear_section(); });
}

TEST_F(HostileManifest, IsRejectedWithTablesWithoutEnd) {
  expectRejected("a hundred thousand tables", [](Manifest& m) {
    const archive::Section tables = m.tables(0);
    for (int i = 0; i < 100'000; ++i) *m.add_tables() = tables;
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
  Manifest manifest = pair_.variantReport.manifest;
  auto* fields = manifest.GetReflection()->MutableUnknownFields(&manifest);
  fields->AddLengthDelimited(Manifest::kTensorsFieldNumber, std::exchange(parts, {}));
  fields->AddLengthDelimited(1000, noise);
  const std::string object = serializeManifest(manifest).value();
  fields->Clear();
  const auto parsed = parseManifest(std::as_bytes(std::span(object)));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::LimitExceeded) << parsed.error().message;
}

TEST_F(HostileManifest, IsRejectedWithSkeletonsThatDoNotFit) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{7}, kHuge, kMost}) {
    expectRejected("skeleton bytes",
                   [&](Manifest& m) { m.mutable_files(1)->set_skeleton_bytes(count); });
    expectRejected("file bytes", [&](Manifest& m) { m.mutable_files(1)->set_byte_count(count); });
  }
  for (const std::uint64_t count : {kMostSkeletonBytes + 1, kHuge, kMost}) {
    expectRejected("a huge file", [&](Manifest& m) {
      m.mutable_files(0)->set_byte_count(count);
      m.mutable_files(0)->set_skeleton_bytes(count);
    });
  }
  expectRejected("checksum", [](Manifest& m) { m.mutable_files(0)->set_skeleton_checksum(1); });
  expectRejected("codec", [](Manifest& m) { m.mutable_files(0)->set_skeleton_codec(3); });
  expectRejected("raw", [](Manifest& m) { m.mutable_files(0)->set_skeleton_codec(0); });
  for (const std::uint32_t parent : {0U, 2U, 3U, 0xffffffffU}) {
    expectRejected("parent", [&](Manifest& m) { m.mutable_files(0)->set_skeleton_parent(parent); });
  }
}

TEST_F(HostileManifest, IsRejectedWithPathsOutsideOfTheModel) {
  for (const char* path :
       {"", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", "./a", "a/..", "..", "."}) {
    expectRejected(std::string("path ") + path,
                   [&](Manifest& m) { m.mutable_files(0)->set_path(path); });
  }
  expectRejected("a long path",
                 [](Manifest& m) { m.mutable_files(0)->set_path(std::string(5000, 'a')); });
  expectRejected("a zero byte",
                 [](Manifest& m) { m.mutable_files(0)->set_path(std::string("a\0b", 3)); });
  expectRejected("the same path twice",
                 [](Manifest& m) { m.mutable_files(0)->set_path("model.safetensors"); });
  expectRejected("a cut digest",
                 [](Manifest& m) { m.mutable_files(0)->mutable_sha256()->pop_back(); });
  for (const std::size_t bytes : {1U, 15U, 17U, 32U}) {
    expectRejected("checksums of other pieces", [&](Manifest& m) {
      m.mutable_files(0)->set_piece_checksums(std::string(bytes, 'x'));
    });
  }
  expectRejected("another digest",
                 [](Manifest& m) { (*m.mutable_files(0)->mutable_sha256())[3] ^= 1; });
}

TEST_F(HostileManifest, IsRejectedWithADepthThatDoesNotFitItsParent) {
  for (const std::uint32_t depth : {0U, 65U, 0xffffffffU}) {
    expectRejected("depth", [&](Manifest& m) { m.set_depth(depth); });
  }
  expectRejected("a cut parent digest", [](Manifest& m) { m.mutable_parent_digest()->resize(31); });
}

TEST_F(HostileManifest, IsRejectedUnlessItsContentDigestFitsItsFiles) {
  Manifest manifest = pair_.variantReport.manifest;
  manifest.set_content_digest(std::string(32, 'x'));
  const auto files = restoreForged(pair_, manifest);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::CorruptData);
}

TEST_F(HostileManifest, SaysWhichCodecItDoesNotKnow) {
  Manifest manifest = pair_.variantReport.manifest;
  part(manifest, 0).set_codec(200);
  const auto files = restoreForged(pair_, manifest);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::Unsupported);
  EXPECT_NE(files.error().message.find("200"), std::string::npos);
}

TEST_F(HostileManifest, IsRejectedWithAnotherCodecForTheSameBytes) {
  for (const std::uint32_t codec : {0U, 1U, 2U, 3U, 5U}) {
    expectRejected("codec " + std::to_string(codec), [&](Manifest& m) {
      if (m.tensors(0).parts(0).codec() != codec) {
        part(m, 0).set_codec(codec);
      } else {
        part(m, 0).clear_view();
      }
    });
  }
}

}  // namespace
}  // namespace strata::test
