#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"
#include "tests/support/temp_folder.h"

namespace strata::hub {
namespace {

using test::TempFolder;
using ::testing::ElementsAre;

TEST(RemoteLibrary, ResolvesNoHashThatIsAmbiguous) {
  const auto version = [](const char* name, const std::string& digits) {
    RemoteVersion one;
    one.ref.name = name;
    one.ref.number = 1;
    one.ref.contentDigest = digestFromHex("abcd" + digits + std::string(56, '0')).value();
    return one;
  };
  RemoteLibrary library;
  library.versions = {version("a", "1111"), version("b", "2222"), version("c", "1111")};
  const std::vector<std::string> both{"@abcd"};
  const auto resolved = library.select(both, 0);
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().code, ErrorCode::InvalidArgument);
  const std::vector<std::string> one{"@abcd1"};
  EXPECT_THAT(library.select(one, 0).value(), ElementsAre(&library.versions.front()));
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
