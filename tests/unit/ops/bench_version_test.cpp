#include "core/ops/inspect/bench_version.h"

#include <gtest/gtest.h>

#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

/// A model that is the same whatever path it is opened from, and counts how often that happens.
class Opener {
 public:
  explicit Opener(const test::MemoryModel& model) : model_(model) {}

  Result<std::unique_ptr<ModelSource>> operator()(const std::filesystem::path& path) {
    EXPECT_EQ(test::readWhole(path), model_.bytesOf(0)) << "not what was stored";
    ++count;
    return std::make_unique<Borrowed>(model_);
  }
  int count = 0;

 private:
  struct Borrowed final : ModelSource {
    explicit Borrowed(const ModelSource& source) : model(source) {}
    const ModelDescription& description() const noexcept override { return model.description(); }
    const ModelSource& model;
  };
  const test::MemoryModel& model_;
};

class BenchVersion : public test::StoreFixture {
 protected:
  BenchVersion() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 2)) {
    import("base", *base_);
  }

  Result<BenchReport> bench(const BenchOptions& options, const std::stop_token& stop = {}) {
    return benchVersion(store(), options, stop, {});
  }

  const std::unique_ptr<test::MemoryModel> base_, tuned_;
};

TEST_F(BenchVersion, CodesWhatIsStoredAgainAndChangesNothing) {
  const AddReport added = add("tuned", *tuned_);
  const std::size_t entries = test::entryCount(folder_.path());
  Opener opener(*tuned_);
  const auto report = bench({.rounds = 2, .place = folder_.path(), .open = std::ref(opener)});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->version.label(), "tuned:v1");  // the last
  EXPECT_EQ(report->parentLabel, "base:v1");
  EXPECT_EQ(report->codedBytes, added.version.storedBytes);
  EXPECT_EQ(opener.count, 2);
  for (const BenchTimes* times : {&report->copy, &report->write, &report->restore, &report->add}) {
    ASSERT_EQ(times->seconds.size(), 2U);
    EXPECT_LE(times->fastest(), times->median());
    EXPECT_LE(times->median(), times->slowest());
  }
  EXPECT_GT(report->add.peakBytes, 0U);
  EXPECT_EQ(test::entryCount(folder_.path()), entries);
  EXPECT_EQ(store().catalog().versions()->size(), 2U);
}

TEST_F(BenchVersion, CodesABaseAsABase) {
  const AddReport again = import("same", *tuned_);
  Opener opener(*tuned_);
  const auto report = bench({.reference = "same", .rounds = 1, .open = std::ref(opener)});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->parentLabel, "");
  EXPECT_EQ(report->codedBytes, again.version.storedBytes);
}

TEST_F(BenchVersion, RefusesWhatIsNotThere) {
  EXPECT_EQ(bench({.reference = "none"}).error().code, ErrorCode::NotFound);
  EXPECT_EQ(bench({.reference = "base", .rounds = 0}).error().code, ErrorCode::InvalidArgument);
  const auto nowhere = bench({.reference = "base", .place = folder_ / "nowhere"});
  EXPECT_EQ(nowhere.error().code, ErrorCode::NotFound);
  std::stop_source source;
  source.request_stop();
  const std::size_t entries = test::entryCount(folder_.path());
  const auto cancelled = bench({.reference = "base", .place = folder_.path()}, source.get_token());
  EXPECT_EQ(cancelled.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(test::entryCount(folder_.path()), entries);
}

}  // namespace
}  // namespace strata
