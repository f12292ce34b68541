#include <gtest/gtest.h>

#include "core/ops/versions/add_version.h"
#include "core/ops/versions/remove_versions.h"
#include "core/store/catalog/catalog_sync.h"
#include "core/store/store_survey.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

class NamesOfWords : public test::StoreFixture {};

TEST_F(NamesOfWords, AreKeptThroughTrashAndRebuilding) {
  const auto base = test::makeModel(1);
  const auto tuned = test::makeTuned(*base, 10);
  import("base", *base);
  for (const char* name : {"org/model", "\xE6\xA8\xA1\xE5\x9E\x8B/na\xC3\xAFve"}) {
    AddOptions options{.name = name};
    options.tags = {"prod"};
    add(*tuned, options);
    add(name, *test::makeTuned(*tuned, 60, 0.01));
    reopen();
    EXPECT_TRUE(comesBack(std::string(name) + ":v1", *tuned));
    EXPECT_EQ(store().resolve(std::string(name) + ":prod")->number, 1U);
    EXPECT_TRUE(removeVersions(store(), {.references = {std::string(name) + ":v2"}}));
    EXPECT_EQ(store().refs().versionNumbers(name, Place::Trash).value(),
              std::vector<std::uint32_t>{2});
  }
  EXPECT_TRUE(std::filesystem::exists(storeFolder() / "refs" / "org%2Fmodel" / "v1.json"));
  store_.reset();
  EXPECT_TRUE(Store::rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_TRUE(comesBack("org/model", *tuned));
  const auto survey = surveyStore(storeFolder(), store().objects());
  ASSERT_TRUE(survey);
  EXPECT_TRUE(survey->foreign.empty());
}

}  // namespace
}  // namespace strata
