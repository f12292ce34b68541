#include "core/archive/manifest.h"

#include <gtest/gtest.h>

#include "weights.h"

namespace strata::test {
namespace {

std::span<const std::byte> bytesOf(const std::string& object) {
  return std::as_bytes(std::span(object));
}

Manifest exampleManifest() {
  VersionStore store;
  return store.add(*makeModel(1)).manifest;
}

void expectRejected(const std::string& object, ErrorCode code) {
  const auto parsed = parseManifest(bytesOf(object));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, code) << parsed.error().message;
}

TEST(Manifest, IsReadAsItWasWritten) {
  Manifest manifest = exampleManifest();
  const std::string object = serializeManifest(manifest).value();
  manifest.set_format_version(kManifestVersion);
  const auto parsed = parseManifest(bytesOf(object));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->SerializeAsString(), manifest.SerializeAsString());
  EXPECT_EQ(serializeManifest(*parsed).value(), object);
}

TEST(Manifest, IsRejectedWhenCutAtAnyByte) {
  const std::string object = serializeManifest(exampleManifest()).value();
  for (std::size_t kept = 0; kept < object.size(); ++kept) {
    expectRejected(object.substr(0, kept), ErrorCode::CorruptData);
  }
}

TEST(Manifest, IsRejectedWhereAFileIsAFolder) {
  for (const auto& [paths, isSound] :
       {std::pair{std::vector<std::string>{"a", "a-b", "a/b"}, false},
        std::pair{std::vector<std::string>{"a", "b/c", "b/c/d"}, false},
        std::pair{std::vector<std::string>{"a", "ab", "b/a", "b/b"}, true},
        std::pair{std::vector<std::string>{"A", "a"}, true}}) {
    Manifest manifest;
    for (const std::string& path : paths) {
      archive::File& file = *manifest.add_files();
      file.set_path(path);
      file.set_sha256(std::string(32, 'x'));
    }
    manifest.set_content_digest(toBytes(contentDigest(manifest)));
    const auto parsed = parseManifest(bytesOf(serializeManifest(manifest).value()));
    EXPECT_EQ(parsed.has_value(), isSound) << paths.back();
    if (!parsed) {
      EXPECT_EQ(parsed.error().code, ErrorCode::CorruptData);
    }
  }
}

TEST(Manifest, SaysWhenItIsOfANewerFormat) {
  std::string object = serializeManifest(exampleManifest()).value();
  object[8] = kManifestVersion + 1;
  expectRejected(object, ErrorCode::FormatTooNew);
  object[8] = 0;
  expectRejected(object, ErrorCode::CorruptData);
}

TEST(Manifest, IsRejectedWithReservedBits) {
  for (std::size_t i = 12; i < 16; ++i) {
    std::string object = serializeManifest(exampleManifest()).value();
    object[i] = 1;
    expectRejected(object, ErrorCode::CorruptData);
  }
}

TEST(Manifest, MakesNoRoomForASizeThatItsHeaderClaims) {
  for (const std::size_t byte : {16, 18, 20, 23}) {
    std::string object = serializeManifest(exampleManifest()).value();
    object[byte] = static_cast<char>(object[byte] ^ 0x40);
    expectRejected(object, ErrorCode::CorruptData);
  }
}

TEST(Manifest, HasPermissionBitsAlone) {
  Manifest manifest = exampleManifest();
  manifest.mutable_files(0)->set_mode(0755);
  const std::string object = serializeManifest(manifest).value();
  const auto parsed = parseManifest(std::as_bytes(std::span(object)));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->files(0).mode(), 0755U);
  EXPECT_EQ(contentDigest(*parsed), contentDigest(exampleManifest()));
  manifest.mutable_files(0)->set_mode(04755);
  expectRejected(serializeManifest(manifest).value(), ErrorCode::CorruptData);
}

TEST(ContentDigest, IsOfPathsSizesAndDigestsAlone) {
  Manifest manifest = exampleManifest();
  const Digest before = contentDigest(manifest);
  manifest.set_effort("best");
  manifest.clear_tensors();
  EXPECT_EQ(contentDigest(manifest), before);
  Manifest other = manifest;
  other.mutable_files(0)->set_path("other.safetensors");
  EXPECT_NE(contentDigest(other), before);
  other = manifest;
  other.mutable_files(0)->set_byte_count(1);
  EXPECT_NE(contentDigest(other), before);
}

TEST(ContentDigest, IsTheSameWhateverTheCoding) {
  VersionStore store;
  const auto model = makeModel(1);
  WriteOptions raw;
  raw.codec = "raw";
  EXPECT_EQ(store.add(*model).contentDigest, store.add(*model, nullptr, raw).contentDigest);
}

TEST(ParseManifest, PrintsNothingOfItsOwn) {
  Manifest manifest;
  manifest.add_metadata()->set_key("no-utf-8");
  auto object = serializeManifest(manifest);
  ASSERT_TRUE(object);
  const std::size_t place = object->find("no-utf-8");
  ASSERT_NE(place, std::string::npos) << "so short a text is stored as it is";
  (*object)[place] = '\xFF';
  testing::internal::CaptureStderr();
  const auto parsed = parseManifest(std::as_bytes(std::span(*object)));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::CorruptData);
}

TEST(ParseManifest, TakesOneFrameOnly) {
  Manifest manifest;
  auto object = serializeManifest(manifest);
  ASSERT_TRUE(object);
  const std::string skipped("\x50\x2A\x4D\x18\x01\x00\x00\x00x", 9);
  for (const std::string& more : {skipped, object->substr(24)}) {
    const std::string two = *object + more;
    const auto parsed = parseManifest(std::as_bytes(std::span(two)));
    ASSERT_FALSE(parsed);
    EXPECT_NE(parsed.error().message.find("size does not match"), std::string::npos);
  }
}

}  // namespace
}  // namespace strata::test
