#include "tests/unit/store/parity_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::Parity;

/// The product in GF(2^8) of the format's page, bit by bit.
unsigned product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) sum ^= a;
    a = (a << 1) ^ ((a & 0x80) != 0 ? 0x11dU : 0U);
  }
  return sum;
}

TEST(ParityCode, MultipliesAsTheFormatSays) {
  const ParityRatio ratio{2, 10};
  const ParityCode code(ratio);
  for (unsigned shard = 0; shard < 2; ++shard) {
    for (unsigned column = 0; column < 10; ++column) {
      EXPECT_EQ(product(code.coefficient(shard, column), (10 + shard) ^ column), 1U);
    }
  }
  std::mt19937 random(3);
  for (std::size_t length = 1; length < 200; ++length) {
    std::vector<std::byte> bytes(length);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    std::vector<std::vector<std::byte>> sums(2, std::vector<std::byte>(length + 3, std::byte{7}));
    code.add(length % 10, bytes, sums);
    for (unsigned shard = 0; shard < 2; ++shard) {
      for (std::size_t i = 0; i < length + 3; ++i) {
        const unsigned byte = i < length ? std::to_integer<unsigned>(bytes[i]) : 0;
        const unsigned expected = 7 ^ product(code.coefficient(shard, length % 10), byte);
        ASSERT_EQ(std::to_integer<unsigned>(sums[shard][i]), expected) << length << " " << i;
      }
    }
  }
}

TEST(ParityRatio, IsReadFromText) {
  EXPECT_EQ(parseRatio("2/10"), (ParityRatio{2, 10}));
  for (const char* text : {"", "2", "2/", "/10", "0/10", "5/10", "2/2", "2/33", "2/10 ", "-1/10"}) {
    EXPECT_FALSE(parseRatio(text)) << text;
  }
}

TEST_F(Parity, AnyTwoFilesAreFoundAgain) {
  for (std::size_t count = 1; count <= 12; ++count) {
    for (const auto& entry : fs::directory_iterator(place_ / "objects")) fs::remove_all(entry);
    fs::remove_all(place_ / "parity");
    const std::vector<Digest> all = addSome(count);
    computeAnew();
    std::vector<fs::path> files = shardFiles();
    ASSERT_EQ(files.size(), count > 10 ? 4U : 2U);
    for (const Digest& digest : all) files.push_back(objects_.pathOf(digest));
    for (std::size_t a = 0; a < files.size(); ++a) {
      for (std::size_t b = a; b < files.size(); ++b) {
        std::set<Digest> lost;
        for (const auto& file : {files[a], files[b]}) {
          if (const auto digest = objects_.digestOf(file)) lost.insert(*digest);
          fs::remove(file);
        }
        const ParityRebuilt rebuilt = rebuild(lost);
        EXPECT_EQ(rebuilt.objects.size(), lost.size());
        // Nobody knows a group that lost all its files; the writer's end protects its objects anew.
        auto one = grouping();
        ASSERT_TRUE(one.settle());
        for (const Digest& digest : lost) EXPECT_TRUE(isSound(digest)) << count << a << b;
        const ParityState now = state();
        EXPECT_TRUE(now.damages.empty()) << count << " " << a << " " << b;
        EXPECT_EQ(now.protectedObjects, count);
      }
    }
  }
}

TEST_F(Parity, DamagedObjectsAreNotedAndFoundAgain) {
  const std::vector<Digest> all = addSome(9);
  computeAnew();
  flip(objects_.pathOf(all[1]), 1'048'580);
  flip(objects_.pathOf(all[5]), 0);
  const ParityRebuilt rebuilt = rebuild({all[1], all[5]});
  EXPECT_EQ(rebuilt.objects.size(), 2U);
  for (const Digest& digest : all) EXPECT_TRUE(isSound(digest));
}

TEST_F(Parity, ThreeLostAreNoneFound) {
  const std::vector<Digest> all = addSome(10);
  computeAnew();
  for (int i = 0; i < 3; ++i) fs::remove(objects_.pathOf(all[static_cast<std::size_t>(i)]));
  EXPECT_TRUE(state().reachable({all[0], all[1], all[2]}).empty());
  const ParityRebuilt rebuilt = rebuild({all[0], all[1], all[2]});
  EXPECT_TRUE(rebuilt.objects.empty());
  EXPECT_EQ(rebuilt.notRebuilt.size(), 3U);
  for (std::size_t i = 3; i < 10; ++i) EXPECT_TRUE(isSound(all[i]));
}

TEST_F(Parity, EveryByteOfAFileIsChecked) {
  addSome(4);
  fs::remove(objects_.pathOf(objects_.list()->front().digest));
  computeAnew();
  const ParityState before = state();
  ASSERT_EQ(before.groups.size(), 1U);
  const fs::path file = shardFiles().front();
  const std::string whole = test::readWhole(file).substr(0, 400);
  const ParityGroup& group = before.groups.front().group;
  const auto problem = [&](const std::string& text) {
    return parityProblem(std::as_bytes(std::span(text)), group, 0);
  };
  std::string all = test::readWhole(file);
  ASSERT_EQ(problem(all), "");
  for (std::size_t at = 0; at < all.size(); at += at < 400 ? 1 : 997) {
    all[at] = static_cast<char>(all[at] ^ 1);
    EXPECT_NE(problem(all), "") << at;
    all[at] = static_cast<char>(all[at] ^ 1);
  }
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    EXPECT_NE(problem(all.substr(0, kept)), "") << kept;
  }
}

TEST_F(Parity, NewObjectsJoinTheGroupOfTheirSize) {
  std::vector<Digest> all;
  for (std::size_t i = 0; i < 25; ++i) {
    all.push_back(add(1024 + i));
    auto one = grouping();
    ASSERT_TRUE(one.protect({all.back()}));
    // Each command leaves all objects protected.
    ASSERT_EQ(state().protectedObjects, i + 1);
  }
  const ParityState now = state();
  EXPECT_EQ(now.groups.size(), 3U);
  EXPECT_TRUE(now.damages.empty());
  for (std::size_t i = 0; i < 25; ++i) {
    fs::remove(objects_.pathOf(all[i]));
    ASSERT_EQ(rebuild({all[i]}).objects.size(), 1U) << i;
  }
}

TEST_F(Parity, SettlingCompletesWhatAKilledWriterBegan) {
  const Digest first = add(100);
  auto one = grouping();
  ASSERT_TRUE(one.protect({first}));
  const fs::path copy = place_ / "copy";
  fs::copy(place_ / "parity", copy, fs::copy_options::recursive);
  const Digest second = add(101);
  const Digest other = add(5000);
  ASSERT_TRUE(one.protect({second, other}));
  // It wrote the first shards of both groups, and did not come to delete the former one.
  for (const fs::path& file : shardFiles()) {
    if (file.extension() == ".1") fs::remove(file);
  }
  fs::copy(copy, place_ / "parity", fs::copy_options::recursive);
  ASSERT_EQ(state().protectedObjects, 1U);
  auto next = grouping();
  ASSERT_TRUE(next.settle());
  const ParityState now = state();
  EXPECT_EQ(now.protectedObjects, 3U);
  EXPECT_EQ(now.groups.size(), 2U);
  EXPECT_TRUE(now.damages.empty());
}

/// Who lost the settings of a store has not said that its parity is to go.
TEST_F(Parity, GoesOnWhereTheSettingsAreLost) {
  std::vector<Digest> all = addSome(10);
  computeAnew();
  fs::remove(place_ / "config.toml");
  all.push_back(add(500));
  auto one = grouping();
  ASSERT_TRUE(one.protect({all.back()}));
  ASSERT_TRUE(one.settle());
  computeAnew();
  const ParityState now = state();
  EXPECT_TRUE(now.isRatioFromGroups);
  EXPECT_EQ(now.ratio, (ParityRatio{2, 10}));
  EXPECT_EQ(now.protectedObjects, 11U);
  test::writeWhole(place_ / "config.toml", "parity = 2\n");
  EXPECT_EQ(one.settle().error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(shardFiles().size(), 4U);
}

/// What is said to come back does: objects that nobody misses count as lost, too.
TEST_F(Parity, KnowsWhatItCannotBringBack) {
  const std::vector<Digest> all = addSome(10);
  computeAnew();
  for (const int lost : {1, 2, 3}) fs::remove(objects_.pathOf(all[lost]));
  EXPECT_TRUE(state().reachable({all[1]}).empty());
  EXPECT_TRUE(rebuild({all[1]}).objects.empty());
}

/// A group that lost most of its members has the id of the open one that has the rest.
TEST_F(Parity, ComputingAnewLeavesEachObjectInOneGroup) {
  const std::vector<Digest> all = addSome(10);
  computeAnew();
  std::vector<Digest> leaving(all.begin(), all.end());
  const Digest first = state().groups.front().group.members.front().digest;
  std::erase(leaving, first);
  auto one = grouping();
  ASSERT_EQ(one.release(leaving)->size(), 9U);
  for (const Digest& digest : leaving) ASSERT_TRUE(objects_.remove(digest));
  computeAnew();
  EXPECT_EQ(shardFiles().size(), 2U);
}

TEST_F(Parity, ComputingAnewKeepsWhatBringsLostObjectsBack) {
  const std::vector<Digest> all = addSome(6);
  computeAnew();
  fs::remove(objects_.pathOf(all[3]));
  flip(objects_.pathOf(all[1]), 5);
  add(77);
  for (const char* value : {"2/10", "1/5"}) {
    set(value);
    computeAnew();
  }
  EXPECT_EQ(rebuild({all[1], all[3]}).objects.size(), 2U);
}

TEST_F(Parity, SettlingTakesAwayWhatAKilledWriterLeft) {
  const Digest first = add(100);
  auto one = grouping();
  ASSERT_TRUE(one.protect({first}));
  const fs::path copy = place_ / "copy";
  fs::copy(place_ / "parity", copy, fs::copy_options::recursive);
  const Digest second = add(101);
  ASSERT_TRUE(one.protect({second}));
  // It wrote the group of both and did not come to delete the former one, or not to all of the new.
  fs::copy(copy, place_ / "parity",
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  EXPECT_EQ(shardFiles().size(), 4U);
  EXPECT_TRUE(state().damages.empty());
  const Digest third = add(5000);
  auto next = grouping();
  ASSERT_TRUE(next.settle());
  EXPECT_EQ(shardFiles().size(), 4U);
  EXPECT_EQ(state().protectedObjects, 3U);
  EXPECT_EQ(state().groups.size(), 2U);
  fs::remove(objects_.pathOf(third));
  EXPECT_EQ(rebuild({third}).objects.size(), 1U);
}

TEST_F(Parity, OffTakesItAwayAndMoreOfItReplacesIt) {
  addSome(12);
  computeAnew();
  set("4/20");
  computeAnew();
  ParityState now = state();
  EXPECT_EQ(now.groups.size(), 1U);
  EXPECT_EQ(now.groups.front().group.ratio, (ParityRatio{4, 20}));
  EXPECT_EQ(shardFiles().size(), 4U);
  set("off");
  computeAnew();
  EXPECT_TRUE(shardFiles().empty());
}

TEST_F(Parity, OffLeavesWhatBringsADamagedObjectBack) {
  addSome(12);
  computeAnew();
  const Digest hurt = objects_.list()->front().digest;
  std::error_code status;
  fs::permissions(objects_.pathOf(hurt), fs::perms::owner_write, fs::perm_options::add, status);
  fs::resize_file(objects_.pathOf(hurt), 1);
  set("off");
  computeAnew();
  EXPECT_FALSE(shardFiles().empty());
  EXPECT_EQ(rebuild({hurt}).objects.size(), 1U);
  computeAnew();
  EXPECT_TRUE(shardFiles().empty());
}

TEST_F(Parity, CostsTheShareAndTheLargestObjects) {
  for (int i = 0; i < 120; ++i) {
    const std::size_t bytes = std::size_t{1} << (random_() % 17);
    add(bytes + random_() % bytes);
  }
  std::size_t largest = 0;
  const auto all = objects_.list();
  for (const auto& object : *all) largest = std::max<std::size_t>(largest, object.byteCount);
  computeAnew();
  const ParityState now = state();
  EXPECT_EQ(now.protectedObjects, all->size());
  const std::uint64_t headers = now.groups.size() * 2 * 520;
  EXPECT_LE(now.parityBytes, totalBytes_ / 5 + 2 * largest + headers);
}

TEST_F(Parity, ALinkInItsPlaceIsRefused) {
  addSome(2);
  fs::create_directories(place_ / "elsewhere");
  fs::create_directory_symlink(place_ / "elsewhere", place_ / "parity");
  auto one = grouping();
  EXPECT_FALSE(one.computeAnew([](const Digest&) { return true; }));
  EXPECT_EQ(test::entryCount(place_ / "elsewhere"), 0U);
}

}  // namespace
}  // namespace strata
