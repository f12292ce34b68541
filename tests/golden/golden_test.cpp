#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/versions/restore_version.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> goldenStores() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(STRATA_GOLDEN_FOLDER)) {
    if (fs::is_directory(entry.path() / "store")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A folder without its store has lost it on the way, and would be tested by nobody.
TEST(GoldenStores, AreAllHere) {
  for (const auto& entry : fs::directory_iterator(STRATA_GOLDEN_FOLDER)) {
    if (!fs::exists(entry.path() / "expected.sha256")) continue;
    EXPECT_TRUE(fs::exists(entry.path() / "store" / "store.toml")) << entry.path();
  }
}

/// Digests of restored files: version ("base-v1"), then path.
std::map<std::string, std::map<std::string, std::string>> expectedFiles(const fs::path& list) {
  std::map<std::string, std::map<std::string, std::string>> files;
  std::ifstream stream(list);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t slash = line.find('/');
    files[line.substr(66, slash - 66)][line.substr(slash + 1)] = line.substr(0, 64);
  }
  return files;
}

std::string referenceOf(const std::string& label) {
  const std::size_t mark = label.rfind("-v");
  return label.substr(0, mark) + ":" + label.substr(mark + 1);
}

class EveryGoldenStore : public testing::TestWithParam<std::string> {};

TEST_P(EveryGoldenStore, RestoresEveryFileOfEveryVersion) {
  const fs::path golden = fs::path(STRATA_GOLDEN_FOLDER) / GetParam();
  const TempFolder temp;
  fs::copy(golden / "store", temp / "store", fs::copy_options::recursive);
  for (const char* folder : {"tmp", "trash"}) fs::create_directories(temp / "store" / folder);
  const auto rebuilt = rebuildCatalog(temp / "store", {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_TRUE(rebuilt->problems.empty()) << rebuilt->problems.front();
  const auto store = Store::open(temp / "store");
  ASSERT_TRUE(store) << store.error().message;
  const auto expected = expectedFiles(golden / "expected.sha256");
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(rebuilt->versionCount, expected.size());
  for (const auto& [label, files] : expected) {
    const fs::path target = temp / label;
    fs::create_directories(target);
    RestoreOptions options;
    options.reference = referenceOf(label);
    options.target = target;
    options.force = true;
    const auto restored = restoreVersion(**store, options, {}, {});
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(restored->files.size(), files.size());
    for (const auto& [path, digest] : files) {
      const std::string bytes = readWhole(target / path);
      EXPECT_EQ(toHex(sha256(std::as_bytes(std::span(bytes)))), digest) << label << "/" << path;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FormatOne, EveryGoldenStore, testing::ValuesIn(goldenStores()),
                         [](const auto& store) { return store.param; });

}  // namespace
}  // namespace strata::test
