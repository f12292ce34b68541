// What every kind of remote promises (core/transfer/transport.h), tried on one: a folder, or the
// remote that STRATA_TEST_REMOTE and STRATA_TEST_ENDPOINT name. `{}` in the URL becomes a name that
// no other test uses. tests/hub/test_transports.py starts a server of each kind and runs this
// program against it. A new kind of remote gets a line there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "core/transfer/remote_config.h"
#include "core/transfer/transport.h"
#include "hub/open_transport.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Bytes = std::vector<std::byte>;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Bytes that no server has seen before.
Bytes freshBytes(std::size_t count) {
  static std::random_device device;
  std::mt19937_64 random((std::uint64_t{device()} << 32U) + device());
  Bytes bytes(count);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

class BytesSource final : public ObjectSource {
 public:
  explicit BytesSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t byteCount() const noexcept override { return bytes_.size(); }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
};

class BytesSink final : public ObjectSink {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Result<void> restart() override {
    bytes_.clear();
    hasRestarted_ = true;
    return {};
  }
  const Bytes& bytes() const { return bytes_; }
  bool hasRestarted() const { return hasRestarted_; }

 private:
  Bytes bytes_;
  bool hasRestarted_ = false;
};

/// Counts what a transfer says of itself. Safe to use from several threads.
struct Meter {
  std::atomic<std::int64_t> moved = 0;
  TransferMeter meter() {
    return [this](std::int64_t bytes) { moved += bytes; };
  }
};

/// A manifest and a pack, as a version has them.
struct Objects {
  Bytes manifest = freshBytes(700);
  Bytes pack = freshBytes(60'000);

  RemoteObject manifestObject() const {
    return {sha256(manifest), manifest.size(), RemoteObject::Kind::ManifestObject};
  }
  RemoteObject packObject() const { return {sha256(pack), pack.size()}; }
  std::vector<RemoteObject> all() const { return {manifestObject(), packObject()}; }
};

RefText textOf(const std::string& word) {
  return fmt::format(R"({{"kind":"test","word":"{}"}})", word);
}

class EveryTransport : public ::testing::Test {
 protected:
  void SetUp() override {
    static int count = 0;
    static const unsigned run = std::random_device()();
    config_.name = "remote";
    config_.url = variable("STRATA_TEST_REMOTE");
    config_.endpoint = variable("STRATA_TEST_ENDPOINT");
    if (config_.url.empty()) config_.url = "file://" + (folder_ / "remote").string();
    const std::size_t place = config_.url.find("{}");
    if (place != std::string::npos) {
      config_.url.replace(place, 2, fmt::format("t{:08x}-{}", run, ++count));
    }
    remote_ = connect();
    const auto traits = remote_->probe({});
    ASSERT_TRUE(traits) << traits.error().message;
    traits_ = *traits;
  }

  /// Another program's way there.
  std::unique_ptr<Transport> connect() const {
    auto opened = openTransport(config_, {.stateFolder = folder_ / "state"});
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(opened.value());
  }

  static void send(Transport& remote, const Objects& objects) {
    const auto put = [&](const RemoteObject& object, const Bytes& bytes) {
      const auto sent = remote.put(object, BytesSource(bytes), {}, {});
      ASSERT_TRUE(sent) << sent.error().message;
    };
    put(objects.manifestObject(), objects.manifest);
    put(objects.packObject(), objects.pack);
  }

  static RefOutcome advance(Transport& remote, const RefPush& push) {
    const auto outcome = remote.advanceRefs(push, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(RefOutcome::Lost);
  }

  /// Sends objects and names them by a ref that was not there.
  static void push(Transport& remote, const std::string& name, const Objects& objects) {
    send(remote, objects);
    ASSERT_EQ(advance(remote, {{{name, std::nullopt, textOf(name), objects.all()}}, "push"}),
              RefOutcome::Advanced);
  }

  /// What a program sees that knows nothing.
  RefListing listed() const {
    auto listing = connect()->readRefs({});
    EXPECT_TRUE(listing) << listing.error().message;
    return listing ? std::move(*listing) : RefListing();
  }

  static Result<Bytes> fetched(Transport& remote, const RemoteObject& object,
                               std::uint64_t firstByte = 0) {
    BytesSink sink;
    STRATA_TRY(remote.get(object, firstByte, sink, {}, {}));
    return sink.bytes();
  }

  /// Registries keep one list a tag, and say so: there the later of two pushes wins.
  bool isAtomic() const { return traits_.refs == RefSafety::Atomic; }

  test::TempFolder folder_;
  RemoteConfig config_;
  std::unique_ptr<Transport> remote_;
  TransportTraits traits_;
};

TEST_F(EveryTransport, HasNoRefsWhereNobodyPushed) {
  const auto listing = connect()->readRefs({});
  if (!listing) {
    EXPECT_EQ(listing.error().code, ErrorCode::NotFound) << listing.error().message;
    return;
  }
  EXPECT_TRUE(listing->refs.empty());
  EXPECT_TRUE(listing->isNew);
}

TEST_F(EveryTransport, SaysWhereItIsWithoutASecret) {
  EXPECT_FALSE(traits_.server.empty());
  const std::string url = remote_->url();
  for (const char* const name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY"}) {
    if (!variable(name).empty()) {
      EXPECT_THAT(url, ::testing::Not(HasSubstr(variable(name))));
    }
  }
}

TEST_F(EveryTransport, GivesBackWhatWasPushed) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  const auto theirs = connect();
  EXPECT_EQ(fetched(*theirs, objects.manifestObject()).value(), objects.manifest);
  EXPECT_EQ(fetched(*theirs, objects.packObject()).value(), objects.pack);
  const auto refs = listed().refs;
  ASSERT_EQ(refs.size(), 1U);
  EXPECT_EQ(refs.at("sst2/v1"), textOf("sst2/v1"));
  EXPECT_FALSE(listed().isNew);
}

TEST_F(EveryTransport, KnowsSizesOfWhatIsThereAlone) {
  const Objects objects;
  const Objects others;
  push(*remote_, "sst2/v1", objects);
  std::vector<RemoteObject> asked = objects.all();
  asked.push_back(others.packObject());
  const auto sizes = connect()->sizesOf(asked, {});
  ASSERT_TRUE(sizes) << sizes.error().message;
  EXPECT_EQ(*sizes, (ObjectSizes{{sha256(objects.manifest), objects.manifest.size()},
                                 {sha256(objects.pack), objects.pack.size()}}));
  const auto there = connect()->has(asked, {});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_THAT(there->kept, UnorderedElementsAre(sha256(objects.manifest), sha256(objects.pack)));
  EXPECT_EQ(there->visible, there->kept);
}

TEST_F(EveryTransport, GoesOnWhereATransferStopped) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  BytesSink sink;
  const auto got = connect()->get(objects.packObject(), 50'000, sink, {}, {});
  ASSERT_TRUE(got) << got.error().message;
  const auto from = sink.hasRestarted() ? objects.pack.begin() : objects.pack.begin() + 50'000;
  EXPECT_EQ(sink.bytes(), Bytes(from, objects.pack.end()));
  EXPECT_EQ(sink.hasRestarted(), !traits_.rangedReads);
}

TEST_F(EveryTransport, NamesAnObjectThatIsNotThere) {
  push(*remote_, "sst2/v1", Objects());
  const Objects others;
  const auto got = fetched(*connect(), others.packObject());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::NotFound);
  EXPECT_THAT(got.error().message, HasSubstr(shortHex(sha256(others.pack))));
}

TEST_F(EveryTransport, NeverGivesMoreThanAnObjectHas) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  RemoteObject shorter = objects.packObject();
  shorter.byteCount = 1000;
  BytesSink sink;
  const auto got = connect()->get(shorter, 0, sink, {}, {});
  EXPECT_LE(sink.bytes().size(), 1000U);
  if (!got) {
    EXPECT_EQ(got.error().code, ErrorCode::CorruptData) << got.error().message;
  }
}

TEST_F(EveryTransport, SendsAnObjectOnce) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  Meter meter;
  const auto theirs = connect();
  const auto sent = theirs->put(objects.packObject(), BytesSource(objects.pack), {}, meter.meter());
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(fetched(*theirs, objects.packObject()).value(), objects.pack);
}

TEST_F(EveryTransport, CountsTheBytesThatItMoves) {
  const Objects objects;
  Meter up;
  ASSERT_TRUE(remote_->put(objects.manifestObject(), BytesSource(objects.manifest), {}, {}));
  const auto sent = remote_->put(objects.packObject(), BytesSource(objects.pack), {}, up.meter());
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(up.moved, 60'000);
  ASSERT_EQ(advance(*remote_, {{{"sst2/v1", {}, textOf("v1"), objects.all()}}, "push"}),
            RefOutcome::Advanced);
  Meter down;
  BytesSink sink;
  ASSERT_TRUE(connect()->get(objects.packObject(), 0, sink, {}, down.meter()));
  EXPECT_EQ(down.moved, 60'000);
}

TEST_F(EveryTransport, SendsAnObjectOfManyMegabytes) {
  Objects objects;
  objects.pack = freshBytes(std::size_t{33} << 20U);
  push(*remote_, "large/v1", objects);
  EXPECT_EQ(fetched(*connect(), objects.packObject()).value(), objects.pack);
}

TEST_F(EveryTransport, ShowsNothingBeforeTheRefsMove) {
  const Objects objects;
  push(*remote_, "sst2/v1", Objects());
  send(*remote_, objects);
  EXPECT_EQ(listed().refs.size(), 1U);
  const auto there = remote_->has(objects.all(), {});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_TRUE(there->visible.empty() || there->kept == there->visible);
}

TEST_F(EveryTransport, MovesAllRefsOfAPush) {
  const Objects objects;
  send(*remote_, objects);
  const RefPush push{{{"sst2/v1", {}, textOf("one"), objects.all()},
                      {"sst2/tags/prod", {}, textOf("tag")},
                      {"org/model/v12", {}, textOf("two"), objects.all()}},
                     "push"};
  ASSERT_EQ(advance(*remote_, push), RefOutcome::Advanced);
  EXPECT_EQ(listed().refs, (std::map<std::string, RefText>{{"org/model/v12", textOf("two")},
                                                           {"sst2/tags/prod", textOf("tag")},
                                                           {"sst2/v1", textOf("one")}}));
}

TEST_F(EveryTransport, ChangesAndTakesRefsAway) {
  push(*remote_, "sst2/v1", Objects());
  ASSERT_EQ(advance(*remote_, {{{"sst2/tags/prod", {}, textOf("old")}}, "tag"}),
            RefOutcome::Advanced);
  ASSERT_EQ(advance(*remote_, {{{"sst2/tags/prod", textOf("old"), textOf("new")}}, "tag"}),
            RefOutcome::Advanced);
  EXPECT_EQ(listed().refs.at("sst2/tags/prod"), textOf("new"));
  ASSERT_EQ(advance(*remote_, {{{"sst2/tags/prod", textOf("new"), kRemovedRef}}, "tag"}),
            RefOutcome::Advanced);
  EXPECT_EQ(listed().refs.size(), 1U);
}

TEST_F(EveryTransport, ChangesNothingWhereARefSaysOtherwise) {
  push(*remote_, "sst2/v1", Objects());
  const Objects objects;
  send(*remote_, objects);
  const RefPush wrong{{{"sst2/v2", {}, textOf("two"), objects.all()},
                       {"sst2/v1", textOf("else"), textOf("three"), objects.all()}},
                      "push"};
  EXPECT_EQ(advance(*remote_, wrong), RefOutcome::Lost);
  const RefPush there{{{"sst2/v1", {}, textOf("three"), objects.all()}}, "push"};
  EXPECT_EQ(advance(*remote_, there), RefOutcome::Lost);
  const RefPush absent{{{"sst2/v9", textOf("nine"), textOf("ten"), objects.all()}}, "push"};
  EXPECT_EQ(advance(*remote_, absent), RefOutcome::Lost);
  EXPECT_EQ(listed().refs, (std::map<std::string, RefText>{{"sst2/v1", textOf("sst2/v1")}}));
}

TEST_F(EveryTransport, TakesRefsOfWhichNoOtherCame) {
  push(*remote_, "sst2/v1", Objects());
  const auto before = listed().refs;
  push(*connect(), "sst2/v2", Objects());
  RefPush removal{{{"sst2/v1", textOf("sst2/v1"), kRemovedRef}}, "remove"};
  removal.before = before;
  EXPECT_EQ(advance(*remote_, removal), RefOutcome::Lost);
  removal.before = listed().refs;
  EXPECT_EQ(advance(*remote_, removal), RefOutcome::Advanced);
  EXPECT_EQ(listed().refs.size(), 1U);
}

TEST_F(EveryTransport, SeesWhatOthersPushed) {
  push(*remote_, "sst2/v1", Objects());
  const auto first = remote_->readRefs({});
  ASSERT_TRUE(first) << first.error().message;
  push(*connect(), "sst2/v2", Objects());
  EXPECT_EQ(remote_->readRefs({})->refs.size(), 2U);
  const auto later = connect();
  later->know(*first);
  EXPECT_EQ(later->readRefs({})->refs.size(), 2U);
}

TEST_F(EveryTransport, LetsOneOfTwoPushersWin) {
  if (!isAtomic()) GTEST_SKIP() << "this kind of remote has no conditional writes";
  push(*remote_, "sst2/v1", Objects());
  constexpr int kPushers = 4;
  std::vector<std::unique_ptr<Transport>> pushers;
  std::vector<Objects> objects(kPushers);
  for (int i = 0; i < kPushers; ++i) {
    pushers.push_back(connect());
    send(*pushers.back(), objects[static_cast<std::size_t>(i)]);
  }
  std::atomic<int> won = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kPushers; ++i) {
    threads.emplace_back([&, i] {
      const RefPush mine{{{"sst2/v2", {}, textOf(fmt::format("{}", i)), objects[i].all()}}, "push"};
      if (advance(*pushers[i], mine) == RefOutcome::Advanced) ++won;
    });
  }
  threads.clear();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(listed().refs.size(), 2U);
}

TEST_F(EveryTransport, KeepsRefsOfPushersSideBySide) {
  if (!isAtomic()) GTEST_SKIP() << "this kind of remote has no conditional writes";
  push(*remote_, "first/v1", Objects());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([this, i] {
      const auto mine = connect();
      const Objects objects;
      send(*mine, objects);
      const RefPush adding{{{fmt::format("m{}/v1", i), {}, textOf("x"), objects.all()}}, "push"};
      for (int tries = 0; tries < 100; ++tries) {
        if (advance(*mine, adding) == RefOutcome::Advanced) return;
      }
      ADD_FAILURE() << "pusher " << i << " never won";
    });
  }
  threads.clear();
  EXPECT_EQ(listed().refs.size(), 4U);
}

TEST_F(EveryTransport, KeepsRefsOfAHundredVersions) {
  const Objects objects;
  send(*remote_, objects);
  RefPush many{{}, "push"};
  for (int i = 1; i <= 100; ++i) {
    many.updates.push_back(
        {fmt::format("sst2/v{}", i), {}, textOf(std::string(2000, 'x')), objects.all()});
  }
  ASSERT_EQ(advance(*remote_, many), RefOutcome::Advanced);
  const auto refs = listed().refs;
  EXPECT_EQ(refs.size(), 100U);
  EXPECT_EQ(refs.at("sst2/v77"), textOf(std::string(2000, 'x')));
}

TEST_F(EveryTransport, ListsItsObjects) {
  const Objects objects;
  push(*remote_, "sst2/v1", objects);
  const auto stock = connect()->listObjects({});
  if (!stock) {
    EXPECT_EQ(stock.error().code, ErrorCode::Unsupported) << stock.error().message;
    return;
  }
  ObjectSizes sizes;
  for (const StockedObject& one : *stock) sizes.emplace(one.digest, one.byteCount);
  EXPECT_EQ(sizes[sha256(objects.manifest)], objects.manifest.size());
  EXPECT_EQ(sizes[sha256(objects.pack)], objects.pack.size());
}

TEST_F(EveryTransport, SweepsWhatNoRefNeeds) {
  const Objects kept;
  const Objects gone;
  push(*remote_, "sst2/v1", kept);
  push(*remote_, "sst2/v2", gone);
  const std::uint64_t seen = listed().endedSweeps;
  ASSERT_EQ(advance(*remote_, {{{"sst2/v2", textOf("sst2/v2"), kRemovedRef}}, "remove"}),
            RefOutcome::Advanced);
  const std::vector<Digest> unneeded{sha256(gone.manifest), sha256(gone.pack)};
  const auto swept = remote_->sweep(listed(), unneeded, {});
  if (!swept) {
    EXPECT_EQ(swept.error().code, ErrorCode::Unsupported) << swept.error().message;
    return;
  }
  EXPECT_EQ(swept->outcome, RefOutcome::Advanced);
  EXPECT_FALSE(swept->failure) << swept->failure->message;
  EXPECT_EQ(swept->erasedCount, unneeded.size());
  const auto there = connect()->has(gone.all(), {});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_TRUE(there->visible.empty());
  EXPECT_EQ(fetched(*connect(), kept.packObject()).value(), kept.pack);
  // Whoever looked for objects before that is told, or brings them back.
  RefPush late{{{"sst2/v3", {}, textOf("late"), gone.all()}}, "push"};
  late.endedSweeps = seen;
  const bool isLost = advance(*connect(), late) == RefOutcome::Lost;
  EXPECT_EQ(listed().refs.size(), isLost ? 1U : 2U);
  if (isLost) return;
  EXPECT_EQ(fetched(*connect(), gone.packObject()).value(), gone.pack);
}

TEST_F(EveryTransport, DoesNotSweepOverAPush) {
  push(*remote_, "sst2/v1", Objects());
  const RefListing seen = listed();
  const Objects later;
  push(*connect(), "sst2/v2", later);
  const auto swept = remote_->sweep(seen, std::vector{sha256(later.pack)}, {});
  if (!swept) {
    EXPECT_EQ(swept.error().code, ErrorCode::Unsupported) << swept.error().message;
    return;
  }
  EXPECT_EQ(swept->outcome, RefOutcome::Lost);
  EXPECT_EQ(fetched(*connect(), later.packObject()).value(), later.pack);
}

TEST_F(EveryTransport, ChangesNothingOnceItIsStopped) {
  push(*remote_, "sst2/v1", Objects());
  std::stop_source stopped;
  stopped.request_stop();
  const Objects objects;
  send(*remote_, objects);
  const auto outcome = remote_->advanceRefs(
      {{{"sst2/v2", {}, textOf("two"), objects.all()}}, "push"}, stopped.get_token());
  if (!outcome) {
    EXPECT_EQ(outcome.error().code, ErrorCode::Cancelled) << outcome.error().message;
  }
  EXPECT_EQ(listed().refs.contains("sst2/v2"), outcome.has_value());
  EXPECT_TRUE(listed().refs.contains("sst2/v1"));
}

TEST_F(EveryTransport, ForgetsUploadsThatNobodyGoesOnWith) {
  push(*remote_, "sst2/v1", Objects());
  const auto ended = remote_->abandonUploads({});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(*ended, 0U);
  const auto scratch =
      remote_->clearScratch(std::numeric_limits<std::int64_t>::max(), ScratchWish::Count, {});
  ASSERT_TRUE(scratch) << scratch.error().message;
  EXPECT_EQ(*scratch, 0U);
}

TEST_F(EveryTransport, FindsItsListWhole) {
  push(*remote_, "sst2/v1", Objects());
  const auto checked = connect()->checkList({});
  EXPECT_TRUE(checked) << checked.error().message;
  const auto salvaged = connect()->salvageRefs({});
  ASSERT_TRUE(salvaged) << salvaged.error().message;
  EXPECT_EQ(salvaged->refs.size(), 1U);
  EXPECT_EQ(salvaged->unreadable, 0U);
}

}  // namespace
}  // namespace strata::hub
