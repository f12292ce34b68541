#include "hub/bundle/bundle_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/transfer/part_file.h"
#include "core/transfer/text_source.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

class Bundle : public test::ExchangeFixture {
 protected:
  Bundle() {
    importBase(*ours_);
    add(*ours_, "t", 11);
    add(*ours_, "u", 12);
    const VersionEntry version = ours_->resolve("t").value();
    const auto objects = ours_->catalog().objectsOf(version.manifestDigest).value();
    for (const CatalogObject& one : objects) {
      if (!one.isManifest) pack_ = ours_->objects().pathOf(one.digest);
    }
    const std::string bytes = test::readWhole(pack_);
    fs::permissions(pack_, fs::perms::owner_write, fs::perm_options::add);
    damaged_ = bytes;
    damaged_[bytes.size() / 2] ^= 1;
  }

  Result<PushReport> write(bool replace) const {
    const auto bundle = BundleTransport::create(file_, replace).value();
    return push(*ours_, *bundle, {.parallel = 1});
  }

  const std::unique_ptr<Store> ours_ = makeStore("ours");
  const fs::path file_ = folder_ / "t.tar";
  fs::path pack_;
  std::string damaged_;
};

TEST_F(Bundle, IsNotWrittenWhereAnObjectIsDamaged) {
  test::writeWhole(pack_, damaged_);
  const auto written = write(false);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, ::testing::HasSubstr("do not match its hash"));
  EXPECT_FALSE(fs::exists(file_));
}

/// Else each object after a damaged one is taken for damaged, too, and read to see whether it is.
TEST_F(Bundle, TellsADamagedObjectFromThoseAfterIt) {
  const auto bundle = BundleTransport::create(file_, false).value();
  const auto put = [&](const CatalogObject& one) {
    const MappedSource source(ours_->objects().open(one.digest).value());
    const auto kind =
        one.isManifest ? RemoteObject::Kind::ManifestObject : RemoteObject::Kind::Pack;
    return bundle->put({one.digest, one.byteCount, kind}, source, {}, {});
  };
  test::writeWhole(pack_, damaged_);
  std::vector<ErrorCode> codes;
  const auto objects = ours_->catalog().objectsOf(ours_->resolve("t")->manifestDigest).value();
  for (const bool isManifest : {false, true}) {
    for (const CatalogObject& one : objects) {
      if (one.isManifest != isManifest) continue;
      const auto done = put(one);
      ASSERT_FALSE(done);
      codes.push_back(done.error().code);
    }
  }
  EXPECT_THAT(codes, ::testing::ElementsAre(ErrorCode::CorruptData, ErrorCode::Io));
  // The push that ends there says why.
  const std::string signatures = "signatures";
  const Digest digest = sha256(std::as_bytes(std::span(signatures)));
  const TextSource source(signatures);
  const auto last =
      bundle->put({digest, signatures.size(), RemoteObject::Kind::Signatures}, source, {}, {});
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, ErrorCode::CorruptData);
}

TEST_F(Bundle, StaysAsItWasWhereAnotherCannotBeWritten) {
  ASSERT_TRUE(write(false));
  const std::string before = test::readWhole(file_);
  test::writeWhole(pack_, damaged_);
  EXPECT_FALSE(write(true));
  EXPECT_EQ(test::readWhole(file_), before);
  const auto theirs = makeStore("theirs");
  const auto taken = pull(*theirs, *BundleTransport::open(file_).value());
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->pulled.size(), 3);
  expectSound(*theirs);
}

}  // namespace
}  // namespace strata::hub
