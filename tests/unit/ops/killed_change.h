#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/ops/care/verify_store.h"
#include "core/store/refs/ref_change.h"
#include "core/store/refs/ref_folder.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata::test {

using Step = std::function<Result<void>(const RefFolder&, Catalog&)>;

/// Changes of several refs, broken off after each of their steps: what the next writer finds is the
/// old store or what the change makes of it, and it makes it whole.
class KilledChange : public StoreFixture {
 protected:
  KilledChange() : base_(makeModel(1)) {
    import("base", *base_);
    for (unsigned seed : {10U, 20U}) {
      AddOptions options{.name = "run"};
      options.chain = ChainPolicy::Never;
      options.tags = {"t" + std::to_string(seed)};
      add(*makeTuned(*base_, seed), options);
    }
  }

  VersionRef ref(std::uint32_t number, Place place = Place::Live) {
    const auto read = store().refs().readVersion("run", number, place);
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(VersionRef{});
  }

  TagRef tag(const std::string& name) {
    const auto read = store().refs().readTag("run", name);
    EXPECT_TRUE(read) << read.error().message;
    return read.value_or(TagRef{});
  }

  /// Runs 0, 1, … all of `steps` on copies of the store, and then a writer. Without a step the
  /// store has to be as before, else as after the change.
  void finishesAfterEach(const std::vector<Step>& steps, const std::string& before,
                         const std::string& after) {
    store_.reset();
    for (std::size_t count = 0; count <= steps.size(); ++count) {
      SCOPED_TRACE("killed after step " + std::to_string(count));
      const std::filesystem::path copy = folder_ / ("copy" + std::to_string(count));
      std::filesystem::copy(storeFolder(), copy, std::filesystem::copy_options::recursive);
      {
        const auto catalog = Catalog::openForWriting(copy / "catalog.sqlite");
        ASSERT_TRUE(catalog) << catalog.error().message;
        for (std::size_t i = 0; i < count; ++i) {
          const auto done = steps[i](RefFolder(copy), **catalog);
          ASSERT_TRUE(done) << done.error().message;
        }
      }
      writeWhole(copy / "lock", "1\nhost\n0\nstrata remove\n");
      const auto store = Store::open(copy);
      ASSERT_TRUE(store) << store.error().message;
      expectSound(**store, VerifyOptions::Level::Quick);
      ASSERT_TRUE((*store)->lock("test"));
      EXPECT_EQ(listed(**store), count == 0 ? before : after);
      expectSound(**store, VerifyOptions::Level::Rebuild);
      EXPECT_FALSE(std::filesystem::exists(copy / "change.json"));
      EXPECT_EQ(entryCount(copy / "tmp"), 0U);
    }
  }

  static void expectSound(const Store& store, VerifyOptions::Level level) {
    const auto report = verifyStore(store, {.level = level}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.path << damage.reason;
  }

  /// "base:v1 run:v1(t10) | run:v2(t20)": what is live and what is in the trash.
  static std::string listed(const Store& store) {
    std::string text;
    for (const Place place : {Place::Live, Place::Trash}) {
      const auto versions = store.catalog().versions(place);
      for (const VersionEntry& version : versions.value()) {
        text += version.label();
        for (const std::string& one : version.tags) text += "(" + one + ")";
        text += ' ';
      }
      if (place == Place::Live) text += "| ";
    }
    return text;
  }

  static Step erase(std::uint32_t number, Place place) {
    return [=](const RefFolder& refs, Catalog&) { return refs.eraseVersion("run", number, place); };
  }

  const std::unique_ptr<MemoryModel> base_;
};

inline Step write(const VersionRef& ref) {
  return [=](const RefFolder& refs, Catalog&) {
    return ref.place() == Place::Live ? refs.writeVersion(ref) : refs.writeTrashed(ref);
  };
}

inline Step begin(const RefChange& change) {
  return [=](const RefFolder& refs, Catalog&) { return refs.writeChange(change); };
}

}  // namespace strata::test
