#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <random>
#include <set>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/detail/lineage.h"
#include "core/ops/versions/tags.h"
#include "core/store/run_tags.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

Digest digestOf(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

/// A catalog of versions that nothing but the catalog knows.
class DrawnCatalog {
 public:
  explicit DrawnCatalog(unsigned seed) : random_(seed) {
    const auto filled = catalog_->transact([&]() -> Result<void> {
      for (std::uint32_t i = 1; i <= kVersions; ++i) STRATA_TRY(put(i));
      return {};
    });
    EXPECT_TRUE(filled);
  }

  const Catalog& operator*() const { return *catalog_; }

 private:
  static constexpr std::uint32_t kVersions = 24;

  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  /// Few contents, so that many are copies of each other and lines cross, end nowhere and run in
  /// circles.
  Result<void> put(std::uint32_t number) {
    VersionRef ref;
    ref.name = std::string(1, static_cast<char>('a' + draw(3)));
    ref.number = number;
    ref.addedAt = 1'773'000'000 + draw(4);
    if (draw(4) == 0) ref.removedAt = ref.addedAt + 1;
    ManifestSummary manifest;
    manifest.entry.contentDigest = ref.contentDigest =
        digestOf("content" + std::to_string(draw(8)));
    manifest.entry.manifestDigest = ref.manifestDigest =
        digestOf("manifest" + std::to_string(number));
    manifest.entry.depth = draw(3);
    if (draw(3) != 0) manifest.entry.parentDigest = digestOf("content" + std::to_string(draw(10)));
    manifest.entry.lossy = draw(4) == 0;
    if (manifest.entry.lossy) manifest.entry.profile = kWeightsOnly;
    STRATA_TRY(catalog_->putVersion(ref, manifest));
    if (ref.removedAt != 0 || draw(2) == 0) return {};
    return catalog_->putTag({ref.name, stepTag(draw(6)), number, {}, ref.addedAt});
  }

  std::mt19937 random_;
  std::unique_ptr<Catalog> catalog_ = Catalog::createInMemory().value();
};

TEST(LineageOfOneVersion, SaysWhatThatOfTheWholeStoreSays) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const DrawnCatalog catalog(seed);
    const Lineage whole = Lineage::load(*catalog).value();
    for (const VersionEntry& listed : whole.versions()) {
      const VersionEntry one = listed;  // as callers have it: none of the lineage's own
      const Lineage near = Lineage::of(*catalog, one).value();
      EXPECT_EQ(near.parentLabel(one), whole.parentLabel(one)) << seed;
      EXPECT_EQ(near.baseLabel(one), whole.baseLabel(one)) << seed;
      EXPECT_EQ(near.depthOf(one), whole.depthOf(one)) << seed;
      EXPECT_EQ(near.rootOf(one).label(), whole.rootOf(one).label()) << seed;
      EXPECT_EQ(near.labelOf(one.contentDigest), whole.labelOf(one.contentDigest)) << seed;
    }
  }
}

TEST(LookUpInACatalog, FindsWhatAListOfTheNameHas) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const DrawnCatalog catalog(seed);
    for (const Place place : {Place::Live, Place::Trash}) {
      RefFolder::Numbers expected;
      for (const char* name : {"a", "b", "c"}) {
        const auto listed = (*catalog).versionsOf(name, place).value();
        std::vector<std::uint32_t> numbers;
        for (const VersionEntry& one : listed) numbers.push_back(one.number);
        EXPECT_EQ((*catalog).numbersOf(name, place), numbers);
        if (!numbers.empty()) expected.emplace(name, numbers);
        if (place == Place::Trash || listed.empty()) continue;
        EXPECT_EQ((*catalog).newest(name).value()->label(), newestOf(listed).label());
        for (const VersionEntry& one : listed) {
          for (const std::string& tag : one.tags) {
            const auto tagged = (*catalog).tagged(name, tag).value();
            ASSERT_EQ(tagged.size(), 1U);
            EXPECT_EQ(tagged.front().label(), one.label());
            EXPECT_EQ((*catalog).tag(name, tag).value()->number, one.number);
          }
        }
        EXPECT_FALSE((*catalog).tag(name, "none").value());
      }
      EXPECT_EQ((*catalog).numbers(place), expected);
    }
  }
}

/// A name with some versions and a tag of a snapshot at each.
class ManyVersions : public test::MissingRef {
 protected:
  static constexpr std::uint32_t kVersions = 12;

  ManyVersions() {
    for (std::uint32_t i = 1; i <= kVersions; ++i) addStep(i);
  }

  VersionEntry addStep(std::uint32_t step) {
    AddOptions options{.name = "run"};
    options.tags = {stepTag(step)};
    return add(*test::makeTuned(*base_, 100 + step), options).version;
  }

  fs::path catalogFile() const { return storeFolder() / "catalog.sqlite"; }

  fs::path ref(std::uint32_t number) const { return store_->refs().versionPath("run", number); }

  /// The number of what is added once the catalog is the one of before `change`, and the refs of
  /// `lost` are gone.
  std::uint32_t nextAfter(const std::function<void()>& change, std::uint32_t lost) {
    store_.reset();
    const std::string before = test::readWhole(catalogFile());
    reopen();
    change();
    fs::remove(ref(lost));
    store_.reset();
    test::writeWhole(catalogFile(), before);
    reopen();
    return addStep(99).number;
  }
};

TEST_F(ManyVersions, GetANumberThatNoTagOfALostVersionNames) {
  EXPECT_EQ(nextAfter([&] { addStep(13); }, 13), 14U);
}

TEST_F(ManyVersions, GetANumberThatNoMovedTagOfALostVersionNames) {
  ASSERT_TRUE(addTag(store(), {.reference = "run:v3", .tag = "best"}));
  const auto move = [&] {
    const std::string newest =
        add(*test::makeTuned(*base_, 90), AddOptions{.name = "run"}).version.label();
    ASSERT_TRUE(addTag(store(), {.reference = newest, .tag = "best", .move = true}));
  };
  EXPECT_EQ(nextAfter(move, 13), 14U);
}

TEST_F(ManyVersions, AreFoundByTheirTagsNumbersAndAge) {
  EXPECT_EQ(store().resolveChecked("run").value().number, kVersions);
  EXPECT_EQ(store().resolveChecked("run:step-5").value().number, 5U);
  EXPECT_EQ(store().resolveChecked("run:v7").value().number, 7U);
  EXPECT_EQ(store().resolveChecked("run~2").value().number, kVersions - 2);
  const VersionEntry third = store().resolve("run:v3").value();
  for (const std::size_t digits : {4, 9, 10, 64}) {
    const std::string hash = "@" + toHex(third.contentDigest).substr(0, digits);
    EXPECT_EQ(store().resolve(hash).value().label(), third.label()) << digits;
  }
  EXPECT_EQ(store().resolve("run:v99").error().code, ErrorCode::NotFound);
  EXPECT_EQ(store().resolve("run:step-99").error().code, ErrorCode::NotFound);
  EXPECT_NE(store().resolve("run:step-99").error().message.find("run has "), std::string::npos);
}

/// Counts files of a folder that are opened.
class OpenedFiles {
 public:
  explicit OpenedFiles(const fs::path& folder) : queue_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(queue_, folder.c_str(), IN_OPEN), 0);
  }
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;
  ~OpenedFiles() { ::close(queue_); }

  std::set<std::string> names() const {
    std::set<std::string> names;
    alignas(inotify_event) std::array<char, 65536> buffer;
    for (ssize_t got; (got = ::read(queue_, buffer.data(), buffer.size())) > 0;) {
      for (ssize_t at = 0; at < got;) {
        const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
        if (event->len > 0) names.emplace(event->name);
        at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
    }
    return names;
  }

 private:
  int queue_;
};

TEST_F(ManyVersions, AreNotReadOneByOneForTheNext) {
  const OpenedFiles versions(ref(1).parent_path());
  const OpenedFiles tags(store().refs().tagPath("run", "any").parent_path());
  ASSERT_EQ(addStep(50).number, kVersions + 1);
  ASSERT_TRUE(addTag(store(), {.reference = "run:v2", .tag = "best"}));
  EXPECT_EQ(store().resolveChecked("run:best").value().number, 2U);
  EXPECT_LE(tags.names().size(), 2U);  // what was written
  // The new one, the tagged one, the folder of tags, and what parents are looked at.
  EXPECT_LE(versions.names().size(), 6U);
}

}  // namespace
}  // namespace strata
