#include "core/archive/manifest.h"

#include <gtest/gtest.h>

#include "core/archive/detail/manifest_message.h"
#include "tests/support/hostile_store.h"
#include "tests/support/manifest_message.h"
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
  const Manifest manifest = exampleManifest();
  const std::string object = serializeManifest(manifest).value();
  const auto parsed = parseManifest(bytesOf(object));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(*parsed == manifest);
  EXPECT_EQ(serializeManifest(*parsed).value(), object);
}

TEST(Manifest, IsWrittenAsProtobufWritesIt) {
  const SmallPair pair;
  for (const Manifest& manifest : {pair.baseReport.manifest, pair.variantReport.manifest}) {
    for (const Offsets offsets : {Offsets::AsTheyAre, Offsets::Differences}) {
      const std::string message = encodeMessage(manifest, offsets).value();
      archive::Manifest parsed;
      ASSERT_TRUE(parsed.ParseFromString(message));
      EXPECT_EQ(parsed.SerializeAsString(), message);
      EXPECT_EQ(static_cast<std::size_t>(parsed.tensors_size()), manifest.tensors.size());
    }
  }
}

TEST(Manifest, SaysAllOfItselfToPeople) {
  Manifest manifest = exampleManifest();
  manifest.settings = "a = 1\n";
  const archive::Manifest message = messageOf(manifest, Offsets::AsTheyAre);
  EXPECT_EQ(manifestText(manifest), message.Utf8DebugString());
  EXPECT_NE(manifestText(manifest).find(R"(settings: "a = 1\n")"), std::string::npos);
}

/// Fields that a newer program may add, in each kind of message.
archive::Manifest withNewFields(const Manifest& manifest) {
  archive::Manifest message = messageOf(manifest, Offsets::Differences);
  message.add_quality()->set_metric("accuracy");
  message.add_metadata()->set_key("key");
  const auto add = [](google::protobuf::Message& to) {
    auto& fields = *to.GetReflection()->MutableUnknownFields(&to);
    fields.AddVarint(99, 12345);
    fields.AddLengthDelimited(100, "new");
    fields.AddFixed32(101, 7);
    fields.AddGroup(102)->AddFixed64(103, 8);
  };
  add(message);
  add(*message.mutable_files(0));
  add(*message.mutable_files(0)->mutable_skeleton());
  add(*message.mutable_tables(0));
  add(*message.mutable_quality(0));
  add(*message.mutable_metadata(0));
  archive::Tensor& tensor = *message.mutable_tensors(0);
  add(tensor);
  add(*tensor.mutable_parts(0));
  add(*tensor.mutable_parts(0)->mutable_view());
  add(*tensor.mutable_parts(0)->mutable_section());
  message.mutable_tensors(1)->set_kind(1000);
  message.mutable_files(1)->set_kind(1000);
  message.set_original_digest("no digest");
  return message;
}

TEST(Manifest, KeepsWhatANewerProgramWrote) {
  const SmallPair pair;
  const archive::Manifest message = withNewFields(pair.variantReport.manifest);
  const auto parsed =
      parseManifest(bytesOf(objectOf(message.SerializeAsString(), kPlainManifestVersion).value()));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->tensors[1].kind, TensorKind::Unknown);
  const archive::Manifest again = messageOf(*parsed, Offsets::Differences);
  EXPECT_EQ(again.SerializeAsString(), message.SerializeAsString());
  EXPECT_TRUE(restoreForged(pair, *parsed)) << "new fields do no harm";
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
      manifest.files.emplace_back().path = path;
    }
    manifest.contentDigest = contentDigest(manifest);
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
  manifest.files[0].mode = 0755;
  const std::string object = serializeManifest(manifest).value();
  const auto parsed = parseManifest(std::as_bytes(std::span(object)));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->files[0].mode, 0755U);
  EXPECT_EQ(contentDigest(*parsed), contentDigest(exampleManifest()));
  manifest.files[0].mode = 04755;
  expectRejected(serializeManifest(manifest).value(), ErrorCode::CorruptData);
}

TEST(ContentDigest, IsOfPathsSizesAndDigestsAlone) {
  Manifest manifest = exampleManifest();
  const Digest before = contentDigest(manifest);
  manifest.effort = "best";
  manifest.tensors.clear();
  EXPECT_EQ(contentDigest(manifest), before);
  Manifest other = manifest;
  other.files[0].path = "other.safetensors";
  EXPECT_NE(contentDigest(other), before);
  other = manifest;
  other.files[0].byteCount = 1;
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
  manifest.metadata.emplace_back().key = "no-utf-8";
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
