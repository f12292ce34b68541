// What a remote's list says of itself: whose it is, and which lists before it were lost.
#include <gmock/gmock.h>

#include "tests/unit/hub/listed_remote_fixture.h"

namespace strata::hub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MarkedList : public ListedRemote {
 protected:
  static inline const std::string kOurs = std::string(32, 'a');
  static inline const std::string kOther = std::string(32, 'b');

  RefOutcome pushAs(const std::string& identity, const std::string& ref) {
    RefPush push{{adding(ref)}, "push"};
    push.identity = identity;
    const auto outcome = place_->connect()->advanceRefs(push, {});
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome.value_or(RefOutcome::Overtaken);
  }
  RefListing list() { return place_->connect()->readRefs({}).value(); }
  bool canSweep() { return remote_->probe({})->refs == RefSafety::Atomic; }
};

TEST_P(MarkedList, GetsOneIdentityAndKeepsIt) {
  ASSERT_EQ(push({adding("m1/v1")}), RefOutcome::Advanced);
  EXPECT_EQ(list().identity, "") << "as earlier programs make it";
  ASSERT_EQ(pushAs(kOurs, "m2/v1"), RefOutcome::Advanced);
  EXPECT_EQ(list().identity, kOurs);
  EXPECT_EQ(pushAs(kOther, "m3/v1"), RefOutcome::Overtaken) << "it is another remote";
  EXPECT_FALSE(list().refs.contains("m3/v1"));
  ASSERT_EQ(pushAs("", "m4/v1"), RefOutcome::Advanced);
  const auto pusher = place_->connect();
  pusher->know(list());
  ASSERT_EQ(pusher->advanceRefs({{adding("m5/v1")}, "push"}, {}).value(), RefOutcome::Advanced);
  fill();
  EXPECT_EQ(list().identity, kOurs) << "in pages, too";
  RefPush mend{{adding("mend/v1")}, "mend"};
  mend.above = 20;
  ASSERT_EQ(remote_->advanceRefs(mend, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(list().identity, kOurs);
}

TEST_P(MarkedList, SaysWhichListsWereLostUntilTheyAreFound) {
  for (const int count : {3, 1000}) {
    fill(count);
    RefPush mend{{}, "mend"};
    mend.above = list().generation;
    mend.unseen = {7, 9};
    ASSERT_EQ(place_->connect()->advanceRefs(mend, {}).value(), RefOutcome::Advanced);
    EXPECT_THAT(list().unseen, ElementsAre(7, 9));
    ASSERT_EQ(push({adding(fmt::format("after{}/v1", count))}), RefOutcome::Advanced);
    const auto pusher = place_->connect();
    pusher->know(list());
    RefPush other{{adding(fmt::format("known{}/v1", count))}, "push"};
    other.seenLists = {8};
    ASSERT_EQ(pusher->advanceRefs(other, {}).value(), RefOutcome::Advanced);
    EXPECT_THAT(list().unseen, ElementsAre(7, 9)) << "of another list nobody asked";
    for (const std::uint64_t number : {7, 9}) {
      RefPush found{{}, "push"};
      found.seenLists = {number};
      ASSERT_EQ(place_->connect()->advanceRefs(found, {}).value(), RefOutcome::Advanced);
      EXPECT_FALSE(list().unseen.contains(number));
    }
    EXPECT_THAT(list().unseen, IsEmpty());
    for (const std::string& name : names("")) place_->remove(name);
    remote_ = place_->connect();
  }
}

TEST_P(MarkedList, LosesNothingOfListsThatAreNotAcceptedAsLost) {
  fill(3);
  if (!canSweep()) return;
  const RefListing before = list();
  RefPush mend{{}, "mend"};
  mend.above = before.generation;
  mend.unseen = {before.generation};
  ASSERT_EQ(place_->connect()->advanceRefs(mend, {}).value(), RefOutcome::Advanced);
  const Digest digest = sha256({});
  const auto sweep = [&](const RefListing& seen) {
    return place_->connect()->sweep(seen, std::span(&digest, 1), {}).value().outcome;
  };
  EXPECT_EQ(sweep(before), RefOutcome::Overtaken) << "it was mended since";
  EXPECT_EQ(list().endedSweeps, before.endedSweeps);
  EXPECT_EQ(sweep(list()), RefOutcome::Advanced);
  EXPECT_THAT(list().unseen, IsEmpty());
}

TEST_P(MarkedList, IsNoListWhereItsMarksAreNone) {
  fill(3);
  const std::string sound = place_->files().at(newestList());
  const std::string open = sound.substr(0, sound.rfind(",\"number\""));
  EXPECT_TRUE(parseRefHead(open + "}", "list"));
  for (const char* const marks :
       {R"(,"id":7)", R"(,"id":"")", R"(,"id":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")",
        R"(,"unseen":7)", R"(,"unseen":["7"])", R"(,"unseen":[-1])", R"(,"unseen":[0])"}) {
    const auto read = parseRefHead(open + marks + "}", "list");
    ASSERT_FALSE(read) << marks;
    EXPECT_EQ(read.error().code, ErrorCode::CorruptData) << marks;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MarkedList, listedKinds(), nameOf);

}  // namespace
}  // namespace strata::hub
