#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/store/store_lock.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata::test {

/// Refs that are gone, and what every command makes of that: nothing that is needed is deleted.
class MissingRef : public StoreFixture {
 protected:
  MissingRef() : base_(makeModel(1)), tuned_(makeTuned(*base_, 10)) {
    import("base", *base_);
    AddOptions options{.name = "sst2"};
    options.tags = {"prod"};
    add(*tuned_, options);
  }

  void loseRef(const std::string& name, Place place = Place::Live) {
    ASSERT_TRUE(std::filesystem::remove(store().refs().versionPath(name, 1, place)));
  }

  void loseCatalog() {
    store_.reset();
    for (const char* end : {"", "-wal", "-shm"}) {
      std::filesystem::remove(storeFolder() / (std::string("catalog.sqlite") + end));
    }
    const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
    ASSERT_TRUE(rebuilt) << rebuilt.error().message;
    reopen();
    const auto unnamed = unnamedModels(store(), {});
    ASSERT_TRUE(unnamed);
    EXPECT_EQ(rebuilt->unnamed.size(), unnamed->size());
  }

  RebuildReport rebuild() {
    store_.reset();
    auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
    EXPECT_TRUE(rebuilt) << rebuilt.error().message;
    reopen();
    return rebuilt.value_or(RebuildReport{});
  }

  /// As a writer leaves it that is killed.
  void leaveMark() {
    auto lock = StoreLock::acquire(storeFolder() / "lock", "test", {}, {});
    ASSERT_TRUE(lock);
    lock->leaveMark();
  }

  void settle() { ASSERT_TRUE(store().lock("test")); }

  VerifyReport verify(VerifyOptions::Level level = VerifyOptions::Level::Rebuild) {
    auto report = verifyStore(store(), {.level = level}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(VerifyReport{});
  }

  void expectSound() {
    const VerifyReport report = verify();
    for (const Damage& damage : report.damages) ADD_FAILURE() << damage.path << damage.reason;
    EXPECT_TRUE(comesBack("sst2", *tuned_));
  }

  Result<GarbageReport> collect(bool unnamedToo = false) {
    return collectGarbage(store(), {.dryRun = false, .unnamedToo = unnamedToo}, {});
  }

  RecoverReport recover() {
    auto report = recoverVersions(store(), {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RecoverReport{});
  }

  std::size_t objectCount() { return store().objects().list()->size(); }

  const std::unique_ptr<MemoryModel> base_, tuned_;
};

}  // namespace strata::test
