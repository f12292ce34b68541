// Whatever is done to runs, each version that is listed restores to the bytes that it first had.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <random>

#include "core/digest.h"
#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/versions/init_store.h"
#include "core/ops/versions/merge_deltas.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/prune_versions.h"
#include "core/ops/versions/recode_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "core/profile/profile.h"
#include "core/store/objects/version_chain.h"
#include "hub/folder/folder_transport.h"
#include "tests/unit/runs/run_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

using Digests = std::map<std::string, Digest>;  ///< of files, by their paths

Digest digestOf(const std::string& bytes) { return sha256(std::as_bytes(std::span(bytes))); }

Result<Digests> restored(const Store& store, const VersionEntry& version) {
  const auto reader = openVersion(store, version);
  if (!reader) return fail(reader.error());
  Digests digests;
  const std::vector<ManifestFile>& files = (*reader)->manifest().files;
  for (std::size_t f = 0; f < files.size(); ++f) {
    std::string bytes(files[f].byteCount, '\0');
    STRATA_TRY((*reader)->read(f, 0, std::as_writable_bytes(std::span(bytes))));
    digests[files[f].path] = digestOf(bytes);
  }
  return digests;
}

/// Two stores that exchange one run by a remote. Both train on.
class RandomSequences : public test::RunFixture, public ::testing::WithParamInterface<unsigned> {
 protected:
  struct Side {
    std::string name;
    Store* store = nullptr;
    std::map<std::string, Digests> first;  ///< what each version was when it was first seen
  };

  RandomSequences() : random_(GetParam()) {
    const fs::path folder = folder_ / "other";
    EXPECT_TRUE(initStore({.folder = folder}));
    other_ = Store::open(folder).value();
    sides_ = {{"here", &store(), {}}, {"there", other_.get(), {}}};
  }

  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }

  /// One of the live versions; empty where there is none.
  std::string any(const Side& side) {
    const auto versions = side.store->catalog().versionsOf("run");
    return versions->empty() ? "" : (*versions)[below(unsigned(versions->size()))].label();
  }

  /// What was done. Only what cannot be is refused.
  template <class Done>
  void expectDone(const Done& done) {
    if (done) return;
    const ErrorCode code = done.error().code;
    EXPECT_TRUE(code == ErrorCode::InvalidArgument || code == ErrorCode::NotFound)
        << done.error().message;
  }

  void snapshot(Side& side, bool isLossy) {
    const std::uint64_t step = ++step_;
    writeCheckpoint(step);
    SnapshotOptions options{.add = {.name = "run"}, .path = checkpoint(step)};
    if (isLossy) {
      options.plan = loadProfile({}, "safe")->plan;
      options.add.profile = "safe";
    }
    const auto taken = takeSnapshot(*side.store, tools_, options, {}, {});
    ASSERT_TRUE(taken) << taken.error().message;
    if (taken->added.version.lossy) return;
    Digests files;
    for (const auto& [path, bytes] : test::filesBelow(checkpoint(step))) {
      files[path] = digestOf(bytes);
    }
    side.first.try_emplace(taken->added.version.label(), files);
  }

  void recode(Side& side) {
    RecodeOptions options{.reference = any(side), .force = below(2) == 0};
    const std::array choices{RecodeBase::Keep, RecodeBase::Auto, RecodeBase::None,
                             RecodeBase::Reference};
    options.baseChoice = choices[below(choices.size())];
    options.base = any(side);
    if (below(2) == 0) options.effort = Effort::Fast;
    expectDone(recodeVersion(*side.store, options, {}, {}));
  }

  void quantize(Side& side) {
    TuneOptions tune;
    tune.plan = loadProfile({}, "small")->plan;
    expectDone(recodeLossy(*side.store, any(side), {}, tune, tools_.open, {}, {}));
  }

  void merge(Side& side) {
    expectDone(mergeDeltas(*side.store, {.reference = "run", .reader = tools_.open}, {}, {}));
  }

  void prune(Side& side) {
    PruneOptions options{.names = {"run"}};
    if (below(2) == 0) {
      options.keepOptimizer = 1 + below(2);
    } else {
      options.keep.last = 2 + below(4);
    }
    expectDone(pruneVersions(*side.store, options, {}, {}));
  }

  void collect(Side& side) {
    if (below(2) == 0) expectDone(emptyTrash(*side.store, {}));
    expectDone(collectGarbage(*side.store, {.dryRun = false, .recode = below(2) == 0}, {}));
  }

  void restoreAny(Side& side) {
    const auto removed = side.store->catalog().versionsOf("run", Place::Trash);
    if (removed->empty()) return;
    expectDone(
        restoreFromTrash(*side.store, {(*removed)[below(unsigned(removed->size()))].label()}));
  }

  void push(Side& side) {
    expectDone(pushVersions(*side.store, remote_, {.keptAs = "hub"}, {}, {}));
  }
  void pull(Side& side) {
    expectDone(pullVersions(*side.store, remote_, {.keptAs = "hub"}, {}, {}));
  }

  /// Does something to a store, and says what.
  std::string act(Side& side) {
    using Action = std::pair<const char*, std::function<void()>>;
    const std::vector<Action> actions{
        {"snapshot", [&] { snapshot(side, false); }},
        {"snapshot", [&] { snapshot(side, false); }},
        {"lossy snapshot", [&] { snapshot(side, true); }},
        {"lossy snapshot", [&] { snapshot(side, true); }},
        {"lossy snapshot", [&] { snapshot(side, true); }},
        {"recode", [&] { recode(side); }},
        {"recode --profile", [&] { quantize(side); }},
        {"recode --merge", [&] { merge(side); }},
        {"prune", [&] { prune(side); }},
        {"remove", [&] { expectDone(removeVersions(*side.store, {.references = {any(side)}})); }},
        {"trash restore", [&] { restoreAny(side); }},
        {"undo", [&] { expectDone(undoOperation(*side.store, {})); }},
        {"undo", [&] { expectDone(undoOperation(*side.store, {})); }},
        {"redo", [&] { expectDone(undoOperation(*side.store, {.again = true})); }},
        {"gc", [&] { collect(side); }},
        {"push", [&] { push(side); }},
        {"pull", [&] { pull(side); }}};
    const Action& action = actions[below(unsigned(actions.size()))];
    action.second();
    return fmt::format("{} {}", side.name, action.first);
  }

  void expectAsAtFirst(Side& side, const std::string& history) {
    const auto versions = side.store->catalog().versionsOf("run");
    ASSERT_TRUE(versions);
    for (const VersionEntry& version : *versions) {
      const auto files = restored(*side.store, version);
      ASSERT_TRUE(files) << side.name << " " << version.label() << ": " << files.error().message
                         << history;
      const auto [first, isNew] = side.first.try_emplace(version.label(), *files);
      ASSERT_EQ(*files, first->second) << side.name << " " << version.label() << history;
    }
  }

  std::mt19937 random_;
  std::uint64_t step_ = 0;
  std::unique_ptr<Store> other_;
  std::vector<Side> sides_;
  hub::FolderTransport remote_{folder_ / "remote"};
};

TEST_P(RandomSequences, KeepTheBytesOfEachVersion) {
  constexpr int kSteps = 40;
  std::string history;
  snapshot(sides_[0], false);
  for (int i = 0; i < kSteps; ++i) {
    history += "\n  " + act(sides_[below(2)]);
    for (Side& side : sides_) {
      ASSERT_NO_FATAL_FAILURE(expectAsAtFirst(side, history));
    }
    if (HasFailure()) FAIL() << history;
  }
  for (const Side& side : sides_) {
    const auto report = verifyStore(*side.store, {.level = VerifyOptions::Level::Rebuild}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->damages, IsEmpty()) << side.name << history;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSequences, ::testing::Range(1U, 7U));

}  // namespace
}  // namespace strata
