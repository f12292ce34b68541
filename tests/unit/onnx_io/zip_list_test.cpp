#include "onnx_io/zip/zip_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "onnx_io/torch/torch_archive.h"
#include "tests/support/zip_encoder.h"

namespace strata {
namespace {

using namespace std::string_literals;
using test::zipFile;
using test::ZipMember;

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string_view dataOf(const std::string& file, const ZipEntry& entry) {
  return std::string_view(file).substr(entry.data.offset, entry.data.byteCount);
}

std::vector<ZipMember> twoMembers() {
  return {{.name = "a", .bytes = "first"}, {.name = "dir/b", .bytes = "second"}};
}

void expectRefused(const std::string& file, std::string_view part) {
  const auto list = listZip(bytesOf(file));
  ASSERT_FALSE(list) << part;
  EXPECT_NE(list.error().message.find(part), std::string::npos) << list.error().message;
}

class EveryForm : public ::testing::TestWithParam<int> {};

TEST_P(EveryForm, IsListed) {
  std::vector<ZipMember> members = twoMembers();
  for (ZipMember& member : members) {
    member.is64 = (GetParam() & 1) != 0;
    member.isSaidBehind = (GetParam() & 2) != 0;
    if ((GetParam() & 4) != 0) member.extra = "FB\x03" + std::string(1, '\0') + "ZZZ";
  }
  const std::string file = zipFile(
      members, {.is64 = (GetParam() & 8) != 0, .comment = (GetParam() & 16) != 0 ? "said" : ""});
  const auto list = listZip(bytesOf(file));
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->entries.size(), 2U);
  EXPECT_EQ(list->entries[1].name, "dir/b");
  EXPECT_TRUE(list->entries[1].isPlain);
  EXPECT_EQ(dataOf(file, list->entries[0]), "first");
  EXPECT_EQ(dataOf(file, list->entries[1]), "second");
  EXPECT_EQ(list->range.byteCount, file.size());
}

TEST_P(EveryForm, CutOrWithAByteInFrontIsNone) {
  std::vector<ZipMember> members = twoMembers();
  for (ZipMember& member : members) member.is64 = (GetParam() & 1) != 0;
  const std::string file = zipFile(members, {.is64 = (GetParam() & 8) != 0});
  for (std::size_t kept = 0; kept < file.size(); ++kept) {
    EXPECT_FALSE(listZip(bytesOf(file.substr(0, kept)))) << kept;
  }
  EXPECT_FALSE(listZip(bytesOf("x" + file)));
}

INSTANTIATE_TEST_SUITE_P(OfAnArchive, EveryForm, ::testing::Range(0, 32));

TEST(ZipList, TellsCompressedAndEncryptedMembers) {
  const std::string file = zipFile({{.name = "a", .bytes = "xx", .method = 8},
                                    {.name = "b", .bytes = "xx", .flags = 1},
                                    {.name = "c", .bytes = "xx"}});
  const auto list = listZip(bytesOf(file));
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_FALSE(list->entries[0].isPlain);
  EXPECT_FALSE(list->entries[1].isPlain);
  EXPECT_TRUE(list->entries[2].isPlain);
}

TEST(ZipList, RefusesWhatLies) {
  auto members = twoMembers();
  members[1].headerName = "dir/c";
  expectRefused(zipFile(members), "is not what the list says");

  members = twoMembers();
  members[0].listedBytes = 4;
  expectRefused(zipFile(members), "size is not what the list says");

  members = twoMembers();
  members[1].headerShift = 1;
  expectRefused(zipFile(members), "header is");

  members = twoMembers();
  members[1].headerShift = 1000;
  expectRefused(zipFile(members), "outside of the archive");

  members = twoMembers();
  members[1].name = "a";
  expectRefused(zipFile(members), "the member a is there twice");

  expectRefused(zipFile(twoMembers(), {.countShift = 1}), "list of members is cut");
  expectRefused(zipFile(twoMembers(), {.countShift = -1}), "bytes behind its end");
  expectRefused(zipFile(twoMembers(), {.offsetShift = 1}), "does not end where");
  expectRefused(zipFile(twoMembers(), {.is64 = true, .offsetShift = -1}), "does not end at");
}

/// A zip bomb of one set of bytes under many names.
TEST(ZipList, RefusesMembersThatOverlap) {
  const std::string inner = zipFile({{.name = "b", .bytes = "deep"}}).substr(0, 35);
  auto members = twoMembers();
  members[0].bytes = inner;
  members[1].name = "b";
  members[1].bytes = "";
  members[1].headerShift = -static_cast<std::int64_t>(inner.size());
  members[1].listedBytes = 4;
  expectRefused(zipFile(members), "overlap");
}

TEST(ZipList, ReachesIntoTheListOnlyInLies) {
  auto members = twoMembers();
  members[1].isSaidBehind = true;
  members[1].listedBytes = 100;
  expectRefused(zipFile(members), "reaches into the list");
}

TEST(ZipLists, FindsArchivesOneBehindTheOther) {
  const std::string one = zipFile({{.name = "a", .bytes = "PK\x05\x06 is no end"}}, {.is64 = true});
  const std::string file = one + zipFile(twoMembers()) + zipFile({}) + "rest";
  const auto lists = listZips(bytesOf(file));
  ASSERT_EQ(lists.size(), 2U);  // an archive without members does not begin as one
  EXPECT_EQ(lists[1].range.offset, one.size());
  EXPECT_EQ(dataOf(file, lists[0].entries[0]), "PK\x05\x06 is no end");
  EXPECT_EQ(dataOf(file, lists[1].entries[1]), "second");
  EXPECT_TRUE(listZips(bytesOf("no archive")).empty());
}

TEST(ZipLists, EndsAtTheFirstThatIsBroken) {
  auto members = twoMembers();
  members[1].headerName = "dir/c";
  const std::string file = zipFile(twoMembers()) + zipFile(members) + zipFile(twoMembers());
  EXPECT_EQ(listZips(bytesOf(file)).size(), 1U);
}

/// A trainer may write a file while it is read.
TEST(ZipList, KeepsNamesOfAFileThatChanges) {
  std::string file = zipFile(twoMembers());
  const auto list = listZip(bytesOf(file));
  ASSERT_TRUE(list);
  std::fill(file.begin(), file.end(), '?');
  EXPECT_EQ(list->entries[0].name, "a");
  EXPECT_EQ(list->entries[1].name, "dir/b");
}

TEST(ZipList, KeepsThePickleOfAFileThatChanges) {
  std::string file = test::torchFile("\x80\x02X\5\0\0\0words."s, {"storage"});
  const auto list = listZip(bytesOf(file));
  ASSERT_TRUE(list);
  const auto archive = TorchArchive::open(bytesOf(file), *list);
  ASSERT_TRUE(archive) << archive.error().message;
  std::fill(file.begin(), file.end(), '?');
  EXPECT_EQ(archive->tree().text(archive->tree().root()), "words");
  EXPECT_NE(archive->storage("0"), nullptr);
}

}  // namespace
}  // namespace strata
