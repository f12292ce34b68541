#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/transfer/ref_index.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"
#include "hub/folder/folder_transport.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

using test::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// `{"format":1,"refs":{"a0":REF,"a1":REF,…}}`.
std::string indexOf(std::size_t count, std::string_view ref) {
  std::string text = R"({"format":1,"refs":{)";
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("{}\"a{}\":{}", i == 0 ? "" : ",", i, ref);
  }
  return text + "}}";
}

TEST(RefIndex, IsReadUpToItsLimitsWhateverItsRefsHold) {
  const auto whole = parseRefIndex(indexOf(kMaxRefs, "{}"), "x");
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(whole->refs.size(), kMaxRefs);
  ASSERT_TRUE(serializeRefIndex(*whole));
  const auto more = parseRefIndex(indexOf(kMaxRefs + 1, "{}"), "x");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(more.error().message, HasSubstr(fmt::format("more than {} refs", kMaxRefs)));
  // Some six million values, which no single ref may have.
  std::string ref = R"({"packs":[0)";
  for (int i = 0; i < 40; ++i) ref += ",0";
  const auto rich = parseRefIndex(indexOf(150'000, ref + "]}"), "x");
  ASSERT_TRUE(rich) << rich.error().message;
  EXPECT_EQ(rich->refs.size(), 150'000U);
}

TEST(RefIndex, IsReadLineByLineWhereItIsOurs) {
  const std::map<std::string, RefText> refs{
      {"a/v1", "{}"}, {"b \" \\ \":{/v1", R"({"note":"},\n\"b\":{"})"}, {"ä/v2", R"({"x":[1]})"}};
  for (const auto& some : {refs, std::map<std::string, RefText>{}}) {
    const std::string text = serializeRefIndex({some}).value();
    const auto read = parseRefLines(text, "x");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, some);
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      EXPECT_FALSE(parseRefLines(text.substr(0, cut), "x")) << cut;
    }
  }
  const auto withLines = [](std::string_view lines) {
    return parseRefLines(fmt::format("{{\"format\":1,\"refs\":{{\n{}\n}}}}\n", lines), "x");
  };
  EXPECT_TRUE(withLines("\"a\":{},\n\"b\":{}"));
  for (const char* const lines :
       {"\"b\":{},\n\"a\":{}", "\"a\":{},\n\"a\":{}", "\"a\":[]", "\"a\":{", "\"a\":{}}", "a:{}",
        "\"a\":{},", "\"a\":{}\n\"b\":{}", "\"a\"{}", "\""}) {
    const auto read = withLines(lines);
    ASSERT_FALSE(read) << lines;
    EXPECT_EQ(read.error().code, ErrorCode::CorruptData);
  }
}

TEST(RefIndex, IsNotParsedWithARefThatWouldFillTheMemory) {
  const std::string longText = '"' + std::string(kMaxMemberBytes, 'x') + '"';
  std::string manyValues = "[0";
  while (manyValues.size() < kMaxMemberBytes) manyValues += ",{}";
  manyValues += ']';
  for (const std::string& value : {longText, manyValues}) {
    for (const std::string& text :
         {fmt::format(R"({{"format":1,"refs":{{"a":{{"note":{}}}}}}})", value),
          fmt::format(R"({{"format":1,"refs":{{"a":{}}}}})", value),
          fmt::format(R"({{"format":1,"ref\u0073":{{"a":{{"note":{}}}}}}})", value)}) {
      const auto parsed = parseRefIndex(text, "x");
      ASSERT_FALSE(parsed);
      EXPECT_EQ(parsed.error().code, ErrorCode::CorruptData);
    }
  }
  std::string manyMembers = R"({"format":1,"refs":{})";
  for (int i = 0; i < 2000; ++i) manyMembers += fmt::format(",\"a{}\":0", i);
  EXPECT_FALSE(parseRefIndex(manyMembers + "}", "x"));
  // A registry's index has a long list beside the refs.
  const auto merged = parseRefIndex(fmt::format(R"({{"merged":[0{}],"format":1,"refs":{{}}}})",
                                                std::string(kMaxMemberBytes, ' ')),
                                    "x");
  EXPECT_TRUE(merged);
  EXPECT_FALSE(parseRefIndex(manyValues, "x"));
  // Brackets and commas in a text are no ends.
  const auto sound = parseRefIndex(R"({"format":1,"refs":{"a":{"note":"}{,\"],["}}})", "x");
  ASSERT_TRUE(sound) << sound.error().message;
  EXPECT_EQ(sound->refs.size(), 1U);
}

TEST(RefIndex, RefusesARefThatIsThereTwice) {
  const auto twice = parseRefIndex(R"({"format":1,"refs":{"n/v3":{},"n/v3":{}}})", "x");
  ASSERT_FALSE(twice) << "one flipped digit made n/v2 of it";
  EXPECT_EQ(twice.error().code, ErrorCode::CorruptData);
  EXPECT_FALSE(parseRefIndex(R"({"format":1,"refs":{"a":{}},"refs":{}})", "x"));
}

TEST(RefIndex, TakesTheMarkOfARemovalForNoRef) {
  const auto index = parseRefIndex(
      fmt::format(R"({{"format":1,"refs":{{"a":{{"n":1}},"b":{}}}}})", kRemovedRef), "x");
  ASSERT_TRUE(index) << index.error().message;
  EXPECT_EQ(index->refs, (std::map<std::string, RefText>{{"a", R"({"n":1})"}}));
}

TEST(RefIndex, IsNeverWrittenBeyondItsLimits) {
  RefIndex index;
  for (std::size_t i = 0; i <= kMaxRefs; ++i) index.refs.emplace(std::to_string(i), "{}");
  const auto many = serializeRefIndex(index);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(many.error().message, HasSubstr(fmt::format("at most {} are allowed", kMaxRefs)));
  // Nothing of such a push is there afterwards.
  const TempFolder folder;
  FolderTransport remote(folder / "remote");
  RefPush push;
  for (const auto& [name, text] : index.refs) push.updates.push_back({name, std::nullopt, text});
  const auto refused = remote.advanceRefs(push, {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(remote.readRefs({}).value().refs.empty());
  index.refs.clear();
  const std::string large = "{\"note\":\"" + std::string(kMaxRefBytes, 'x') + "\"}";
  for (std::size_t i = 0; i < kMaxIndexBytes / kMaxRefBytes; ++i) {
    index.refs.emplace(std::to_string(i), large);
  }
  const auto heavy = serializeRefIndex(index);
  ASSERT_FALSE(heavy);
  EXPECT_THAT(heavy.error().message, HasSubstr(std::to_string(kMaxIndexBytes)));
}

/// NAME:v1, whose content has a hash that begins with "abcd" and these four digits.
RemoteVersion version(const char* name, const std::string& digits) {
  RemoteVersion one;
  one.ref.name = name;
  one.ref.number = 1;
  one.ref.contentDigest = digestFromHex("abcd" + digits + std::string(56, '0')).value();
  return one;
}

TEST(RemoteLibrary, ResolvesNoHashThatIsAmbiguous) {
  RemoteLibrary library;
  library.versions = {version("a", "1111"), version("b", "2222"), version("c", "1111")};
  const std::vector<std::string> both{"@abcd"};
  const auto resolved = library.select(both, 0);
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().code, ErrorCode::InvalidArgument);
  const std::vector<std::string> one{"@abcd1"};
  EXPECT_THAT(library.select(one, 0).value(), ElementsAre(&library.versions.front()));
}

TEST(RemoteLibrary, SaysWhatThereIs) {
  RemoteLibrary library;
  const auto wordsOn = [&](const std::string& word) {
    return library.select(std::vector{word}, 0).error().message;
  };
  EXPECT_EQ(wordsOn("sst2"), "sst2: the remote has no versions");
  library.versions = {version("base", "1111"), version("base", "2222"), version("sst2", "3333")};
  EXPECT_EQ(wordsOn("x*"), "x*: the remote has no such version; there are base, sst2");
  EXPECT_EQ(wordsOn("sst"), "sst: the remote has no such version. Did you mean \"sst2\"?");
  for (const char* name : {"t", "u", "v", "w"}) library.versions.push_back(version(name, "4444"));
  EXPECT_EQ(wordsOn("other:v1"),
            "other:v1: the remote has no such version; there are base, sst2, t, u, v and 1 more");
}

TEST(RemoteList, HoldsNoCredentials) {
  const TempFolder folder;
  RemoteList list;
  list.remotes.push_back(
      {.name = "lab", .url = "hf://a/b", .endpoint = "https://bob:s3cret@hub.example/x"});
  const auto refused = list.save(folder.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message, Not(HasSubstr("s3cret")));
  EXPECT_TRUE(RemoteList::load(folder.path())->remotes.empty());
  list.remotes[0].endpoint = "https://hub.example/@x";
  EXPECT_TRUE(list.save(folder.path()));
}

TEST(RemoteList, LosesNoChangeBesideAnother) {
  const TempFolder folder;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = writer; i < 32; i += 4) {
        const auto lock = RemoteList::lock(folder.path());
        ASSERT_TRUE(lock) << lock.error().message;
        RemoteList list = RemoteList::load(folder.path()).value();
        list.remotes.push_back({.name = "r" + std::to_string(i), .url = "file:///x"});
        ASSERT_TRUE(list.save(folder.path()));
      }
    });
  }
  writers.clear();
  EXPECT_EQ(RemoteList::load(folder.path()).value().remotes.size(), 32);
}

}  // namespace
}  // namespace strata::hub
