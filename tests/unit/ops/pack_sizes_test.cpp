#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/store/catalog/manifest_summary.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Level = VerifyOptions::Level;

/// A pack that is cut short or grown, until its bytes are back. Its size is known all the while.
class PackSizes : public test::MissingRef {
 protected:
  PackSizes() {
    const auto objects = store().catalog().objectsOf(store().resolve("sst2")->manifestDigest);
    for (const CatalogObject& object : objects.value()) {
      if (!object.isManifest) pack_ = object;
    }
    bytes_ = test::readWhole(file());
    EXPECT_EQ(pack_.byteCount, bytes_.size());
  }

  fs::path file() { return store().objects().pathOf(pack_.digest); }

  void write(const std::string& bytes) {
    fs::remove(file());
    test::writeWhole(file(), bytes);
  }

  std::uint64_t listedBytes() {
    const auto objects = store().catalog().objectsOf(store().resolve("sst2")->manifestDigest);
    for (const CatalogObject& object : objects.value()) {
      if (object.digest == pack_.digest) return object.byteCount;
    }
    return 0;
  }

  void expectDamageOfPack(std::uint64_t byteCount) {
    for (const Level level : {Level::Quick, Level::Full}) {
      const VerifyReport report = verify(level);
      ASSERT_EQ(report.damages.size(), 1U);
      EXPECT_EQ(report.damages[0].kind, Damage::Kind::Pack);
      EXPECT_EQ(report.damages[0].reason,
                fmt::format("has {} bytes, expected {}", byteCount, bytes_.size()));
    }
  }

  CatalogObject pack_;
  std::string bytes_;
};

TEST_F(PackSizes, AreNotThoseOfDamagedFilesAfterARepair) {
  for (const std::string& damaged : {bytes_.substr(0, 30), bytes_ + "more"}) {
    write(damaged);
    expectDamageOfPack(damaged.size());
    recover();
    expectDamageOfPack(damaged.size());
    write(bytes_);
    expectSound();
  }
}

TEST_F(PackSizes, AreNotThoseOfDamagedFilesInACatalogThatIsWrittenAnew) {
  for (const std::string& damaged : {bytes_.substr(0, 30), bytes_ + "more"}) {
    write(damaged);
    loseCatalog();
    expectDamageOfPack(damaged.size());
    write(bytes_);
    expectSound();
  }
}

/// An earlier program's repair left the size of the damaged file in the catalog.
TEST_F(PackSizes, ThatAreWrongInTheCatalogAreADamageOfTheCatalogAlone) {
  const auto makeWrong = [&] {
    const auto catalog = Catalog::openForWriting(storeFolder() / "catalog.sqlite");
    ASSERT_TRUE(catalog);
    const VersionRef ref = store().refs().readVersion("sst2", 1).value();
    const auto manifest = readManifest(store(), ref.manifestDigest, ref.contentDigest);
    ASSERT_TRUE(manifest);
    ManifestSummary summary = summarize(*manifest, ref.manifestDigest, store().objects());
    for (std::uint64_t& bytes : summary.packBytes) bytes = 30;
    ASSERT_TRUE((*catalog)->transact([&] { return (*catalog)->putVersion(ref, summary); }));
  };
  for (const bool isRebuilt : {false, true}) {
    makeWrong();
    ASSERT_EQ(listedBytes(), 30U);
    for (const Level level : {Level::Quick, Level::Full}) {
      const VerifyReport report = verify(level);
      ASSERT_EQ(report.damages.size(), 1U);
      EXPECT_EQ(report.damages[0].kind, Damage::Kind::Catalog);
      EXPECT_TRUE(report.damagedVersions.empty());
      EXPECT_TRUE(report.toAdd.empty());
    }
    if (isRebuilt) {
      rebuild();
    } else {
      recover();
    }
    EXPECT_EQ(listedBytes(), bytes_.size());
    expectSound();
  }
}

}  // namespace
}  // namespace strata
