#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/unnamed_models.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/check_dates.h"
#include "core/store/objects/object_hold.h"
#include "core/store/store_writer.h"
#include "core/transfer/transfer_claim.h"
#include "tests/unit/hub/exchange_fixture.h"
#include "tests/unit/hub/forwarding_transport.h"

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

/// A folder that does something before it gives an object.
class WatchedFolder final : public test::ForwardingTransport {
 public:
  explicit WatchedFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}

  std::function<Result<void>(const RemoteObject&)> beforeObject = {};

  Result<void> get(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                   std::stop_token stop, const TransferMeter& meter) override {
    if (beforeObject) STRATA_TRY(beforeObject(object));
    return ForwardingTransport::get(object, firstByte, sink, stop, meter);
  }
};

/// base:v1 and sst2:v1 on a remote, and an empty store that pulls them.
class HeldObjectsTest : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    const auto ours = makeStore("ours");
    importBase(*ours);
    add(*ours, "sst2", 11);
    ASSERT_TRUE(push(*ours, watched_));
    objectCount_ = ours->objects().list()->size();
    basePack_ = onlyPackOf(*ours, "base");
  }

  Result<PullReport> pull(const PullOptions& options = {.parallel = 1, .keptAs = "hub"}) {
    return ExchangeFixture::pull(*store_, watched_, options);
  }
  /// As another process does it.
  GarbageReport collect(bool dryRun = false) {
    const auto other = std::move(Store::open(store_->folder())).value();
    const auto report = collectGarbage(*other, {.dryRun = dryRun}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(GarbageReport{});
  }
  /// A pull that ends once so many objects have arrived.
  void pullSome(int count, ErrorCode code = ErrorCode::Cancelled) {
    watched_.beforeObject = [&count, code](const RemoteObject&) -> Result<void> {
      if (count-- == 0) return fail(code, "enough");
      return {};
    };
    ASSERT_FALSE(pull());
    watched_.beforeObject = {};
  }
  Digest leave(std::string_view text) {
    const auto object = store_->objects().create();
    EXPECT_TRUE((*object)->append(std::as_bytes(std::span(text))));
    return (*object)->commit().value_or(Digest{});
  }
  fs::path part(const Digest& digest, std::string_view ending = ".part") {
    return store_->folder() / "partial" / (toHex(digest) + std::string(ending));
  }
  std::size_t count() { return store_->objects().list()->size(); }
  void expectSound() {
    ExchangeFixture::expectSound(*store_);
    EXPECT_EQ(store_->catalog().versions()->size(), 2U);
  }

  std::unique_ptr<Store> store_ = makeStore("theirs");
  WatchedFolder watched_{folder_ / "remote"};
  std::size_t objectCount_ = 0;
  fs::path basePack_;  ///< on the remote
};

/// What a pull left that could not bring the base: a difference to nothing, with or without a
/// transfer that goes on with it.
TEST_F(HeldObjectsTest, OfAPullWithoutItsBaseGetNoName) {
  const std::string sound = test::readWhole(basePack_);
  std::string damaged = sound;
  damaged[damaged.size() / 2] ^= 1;
  fs::permissions(basePack_, fs::perms::owner_write, fs::perm_options::add);
  for (const char* const keptAs : {"hub", ""}) {
    test::writeWhole(basePack_, damaged);
    EXPECT_FALSE(pull({.parallel = 1, .keptAs = keptAs}));
    const auto unnamed = unnamedModels(*store_, {});
    ASSERT_TRUE(unnamed) << unnamed.error().message;
    EXPECT_TRUE(unnamed->empty()) << keptAs;
    const auto recovered = recoverVersions(*store_, {});
    ASSERT_TRUE(recovered) << recovered.error().message;
    EXPECT_TRUE(recovered->named.empty()) << keptAs;
    EXPECT_TRUE(store_->catalog().versions()->empty());
  }
  test::writeWhole(basePack_, sound);
  const auto pulled = pull();
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->pulled.size(), 2U);
  ExchangeFixture::expectSound(*store_);
}

/// The next check need not come before what a pull brought again is no longer called damaged.
TEST_F(HeldObjectsTest, ThatAPullMendedAreNotCalledDamaged) {
  ASSERT_TRUE(pull());
  const fs::path here =
      store_->objects().pathOf(digestFromHex(basePack_.filename().string()).value());
  fs::remove(here);
  ASSERT_TRUE(verifyStore(*store_, {}, {}, {}));
  ASSERT_FALSE(damagedManifests(store_->folder())->empty());
  const auto pulled = pull();
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->objectCount, 1U);
  EXPECT_TRUE(damagedManifests(store_->folder())->empty());
  ExchangeFixture::expectSound(*store_);
}

TEST_F(HeldObjectsTest, StayWhileTheirPullRuns) {
  for (const std::string keptAs : {"hub", ""}) {  // without a name it is not in the catalog
    store_ = makeStore("of " + keptAs);
    const Digest leftover = leave("of nobody");
    std::uint64_t held = 0;
    watched_.beforeObject = [&](const RemoteObject&) -> Result<void> {
      const GarbageReport report = collect();
      EXPECT_EQ(report.heldObjects, held++ / 2 * 2) << "both manifests get their places together";
      EXPECT_EQ(report.freed.size(), held == 1 ? 1U : 0U);
      return {};
    };
    const auto pulled = pull({.parallel = 1, .keptAs = keptAs});
    ASSERT_TRUE(pulled) << pulled.error().message;
    EXPECT_TRUE(pulled->failed.empty());
    EXPECT_GT(held, 1U);
    EXPECT_FALSE(store_->objects().open(leftover));
    expectSound();
    const GarbageReport after = collect();
    EXPECT_EQ(after.heldObjects, 0U);
    EXPECT_EQ(after.keptObjects, objectCount_);
  }
}

TEST_F(HeldObjectsTest, StayAfterTheirPullUntilItIsForgotten) {
  for (const ErrorCode code : {ErrorCode::Cancelled, ErrorCode::Network}) {
    pullSome(2, code);
    ASSERT_EQ(count(), 2U);
    EXPECT_EQ(collect().heldObjects, 2U);
    EXPECT_EQ(count(), 2U);
    ASSERT_TRUE(forgetTransfers(*store_, {listTransfers(*store_)->at(0).id}));
    EXPECT_EQ(collect(true).freed.size(), 2U);
    EXPECT_EQ(count(), 2U) << "a dry run";
    EXPECT_EQ(collect().freed.size(), 2U);
    EXPECT_EQ(count(), 0U);
  }
  pullSome(2);
  collect();
  ASSERT_TRUE(pull());
  expectSound();
  for (const auto& entry : fs::directory_iterator(store_->folder() / "partial")) {
    EXPECT_NE(entry.path().extension(), ".hold") << entry.path();
  }
}

TEST_F(HeldObjectsTest, AreThoseThatWereHereBeforeToo) {
  // An object that a pull finds is one it will not fetch.
  ASSERT_TRUE(pull());
  const auto objects = store_->objects().list();
  ASSERT_TRUE(removeVersions(*store_, {.references = {"sst2"}}));
  ASSERT_TRUE(removeVersions(*store_, {.references = {"base"}}));
  {
    const auto lost = objects->front().digest;
    auto hold = ObjectHold::begin(store_->folder(), {});
    ASSERT_TRUE(hold);
    ASSERT_TRUE(hold->keep(0, {lost}));
    const auto emptied = emptyTrash(*store_, {});
    ASSERT_TRUE(emptied) << emptied.error().message;
    EXPECT_EQ(count(), 1U);
    EXPECT_TRUE(store_->objects().open(lost));
    EXPECT_EQ(collect().heldObjects, 1U);
  }
  EXPECT_EQ(collect().freed.size(), 1U);
}

TEST_F(HeldObjectsTest, StayWhereAWriterThatGivesUpHasWrittenThemAgain) {
  const std::string text = "a pack that both make";
  const Digest digest = leave(text);
  auto hold = ObjectHold::begin(store_->folder(), {});
  ASSERT_TRUE(hold);
  ASSERT_TRUE(hold->keep(0, {digest}));
  {
    const auto staged = StagedObjects::make(store_->folder());
    ASSERT_TRUE(staged);
    for (const std::string& bytes : {text, std::string("another")}) {
      const auto object = (*staged)->createObject();
      ASSERT_TRUE((*object)->append(std::as_bytes(std::span(bytes))));
      ASSERT_TRUE((*object)->commit());
    }
    const auto writer = store_->lock("add");
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->take(**staged));
    EXPECT_EQ(count(), 2U);
  }
  EXPECT_EQ(count(), 1U);
  EXPECT_TRUE(store_->objects().open(digest));
}

TEST_F(HeldObjectsTest, AreFreeOnceTheirProcessIsDead) {
  const Digest digest = leave("of a pull that nobody lists");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto hold = ObjectHold::begin(store_->folder(), {});
    if (!hold || !hold->keep(0, {digest}) || ::write(ready[1], "r", 1) != 1) ::_exit(1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(collect().heldObjects, 1U);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(collect().freed.size(), 1U);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(HeldObjectsTest, AreAllWhereAnOlderProgramDidNotSayWhich) {
  leave("arrived by an older program");
  {
    const TransferRequest request{.direction = TransferRequest::Direction::Pull, .remote = "hub"};
    const auto claim = TransferClaim::take(*store_, request, TransferEntry::State::Running, 100);
    claim->note(50);
    claim->fail({ErrorCode::Network, "no route"});
  }
  EXPECT_EQ(collect().heldObjects, 1U);
  ASSERT_TRUE(forgetTransfers(*store_, {listTransfers(*store_)->at(0).id}));
  EXPECT_EQ(collect().freed.size(), 1U);
}

TEST_F(HeldObjectsTest, KeepTheirPartsAndNoOthers) {
  pullSome(2);
  Digest wanted{};
  Digest arrived{};
  {
    const auto held = HeldObjects::collect(store_->folder(), {});
    ASSERT_TRUE(held);
    ASSERT_EQ(held->all().size(), 1U);
    for (const Digest& digest : held->all()[0].objects) {
      (store_->objects().byteCount(digest) ? arrived : wanted) = digest;
    }
  }
  const Digest unknown = sha256(std::as_bytes(std::span("unknown")));
  for (const fs::path& path :
       {part(wanted), part(arrived), part(unknown), part(wanted, ".0123456789abcdef.part")}) {
    test::writeWhole(path, "12345");
  }
  const fs::path busy = part(sha256(std::as_bytes(std::span("busy"))));
  test::writeWhole(busy, "1234567");
  const int descriptor = ::open(busy.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  EXPECT_EQ(collect(true).freedParts, 3U);
  EXPECT_TRUE(fs::exists(part(unknown)));
  const GarbageReport report = collect();
  EXPECT_EQ(report.freedParts, 3U);
  EXPECT_EQ(report.freedPartBytes, 15U);
  EXPECT_EQ(report.heldParts, 2U);
  EXPECT_EQ(report.heldPartBytes, 12U);
  EXPECT_TRUE(fs::exists(part(wanted)));
  EXPECT_TRUE(fs::exists(busy));
  EXPECT_FALSE(fs::exists(part(unknown)));
  EXPECT_FALSE(fs::exists(part(arrived)));
  ::close(descriptor);
}

TEST_F(HeldObjectsTest, MakeWhoDeletesWaitForAPullThatBegins) {
  auto hold = ObjectHold::begin(store_->folder(), {});
  ASSERT_TRUE(hold);
  auto second = ObjectHold::begin(store_->folder(), {});
  ASSERT_TRUE(second) << "pulls do not wait for each other";
  std::stop_source stop;
  std::jthread canceller([&] { stop.request_stop(); });
  const auto refused = HeldObjects::collect(store_->folder(), stop.get_token());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Cancelled);
  ASSERT_TRUE(hold->keep(0, {}));
  ASSERT_TRUE(second->keep(0, {}));
  EXPECT_TRUE(HeldObjects::collect(store_->folder(), {}));
}

}  // namespace
}  // namespace strata::hub
