#include "core/archive/pack.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/store/objects/staged_objects.h"
#include "tests/support/memory_objects.h"
#include "tests/support/part_samples.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

TEST(PackWriter, LaysSectionsOneAfterTheOther) {
  MemoryObjects objects;
  PackWriter pack(objects);
  const Bytes first(10, std::byte{1});
  const Bytes second(7, std::byte{2});
  const auto a = pack.append(first).value();
  const auto b = pack.append(second).value();
  EXPECT_EQ(a.offset, kPackHeaderBytes);
  EXPECT_EQ(b.offset, kPackHeaderBytes + 10);
  EXPECT_EQ(b.byteCount, 7U);
  EXPECT_TRUE(objects.all().empty()) << "nothing is there before the commit";
  Manifest manifest;
  ASSERT_TRUE(pack.commit(manifest));
  ASSERT_EQ(objects.all().size(), 1U);
  const auto& [digest, bytes] = *objects.all().begin();
  EXPECT_EQ(manifest.packs[0], digest);
  EXPECT_EQ(bytes.size(), pack.byteCount());
  EXPECT_TRUE(checkPackHeader(bytes));
  EXPECT_TRUE(sameBytes(std::span(bytes).subspan(b.offset, 7), second));
}

/// Lets this process open few more files than it has open while it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = ::dup(0);
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(next) + more;
    ::close(next);
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(PackWriter, WritesManyPacksWithFewDescriptors) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "tmp");
  const auto staged = StagedObjects::make(folder.path()).value();
  constexpr int kPacks = 40;
  {
    const FewDescriptors limit(3);
    PackWriter pack(*staged, 100);
    for (int i = 0; i < kPacks; ++i) {
      const auto section = pack.append(Bytes(100, std::byte{static_cast<unsigned char>(i)}));
      ASSERT_TRUE(section) << section.error().message;
      EXPECT_EQ(section->pack, static_cast<std::uint32_t>(i));
    }
    Manifest manifest;
    const auto done = pack.commit(manifest);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(manifest.packs.size(), kPacks);
    EXPECT_EQ(pack.byteCount(), kPacks * (kPackHeaderBytes + 100));
  }
  ASSERT_EQ(staged->all().size(), std::size_t{kPacks});
  for (const auto& object : staged->all()) {
    const std::string bytes = readWhole(object.file);
    EXPECT_EQ(sha256(std::as_bytes(std::span(bytes))), object.digest);
  }
}

TEST(PackWriter, LeavesNothingOfPacksThatAreNotCommitted) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "tmp");
  const auto staged = StagedObjects::make(folder.path()).value();
  const std::size_t before = entryCount(folder / "tmp");
  {
    PackWriter pack(*staged, 100);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(pack.append(Bytes(100)));
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "tmp")) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
  EXPECT_EQ(entryCount(folder / "tmp"), before);
}

TEST(PackWriter, WritesNoPackForNothing) {
  MemoryObjects objects;
  PackWriter pack(objects);
  Manifest manifest;
  ASSERT_TRUE(pack.commit(manifest));
  EXPECT_TRUE(objects.all().empty());
  EXPECT_EQ(manifest.packs.size(), 0);
}

TEST(PackHeader, IsRejectedWhenAnyBitFlips) {
  MemoryObjects objects;
  PackWriter pack(objects);
  ASSERT_TRUE(pack.append(Bytes(4)));
  Manifest manifest;
  ASSERT_TRUE(pack.commit(manifest));
  const Bytes whole = objects.all().begin()->second;
  for (std::size_t bit = 0; bit < kPackHeaderBytes * 8; ++bit) {
    Bytes damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    const auto checked = checkPackHeader(damaged);
    ASSERT_FALSE(checked) << bit;
    const bool isVersion = bit >= 64 && bit < 96 && bit != 64;
    EXPECT_EQ(checked.error().code, isVersion ? ErrorCode::FormatTooNew : ErrorCode::CorruptData);
  }
  for (std::size_t kept = 0; kept < kPackHeaderBytes; ++kept) {
    EXPECT_FALSE(checkPackHeader(std::span(whole).first(kept)));
  }
}

}  // namespace
}  // namespace strata::test
