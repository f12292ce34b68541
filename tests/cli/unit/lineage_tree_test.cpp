#include "cli/views/lineage_tree.h"

#include <gtest/gtest.h>

namespace strata::cli {
namespace {

ListRow row(const std::string& name, std::uint32_t number, const std::string& base) {
  ListRow made;
  made.version.name = name;
  made.version.number = number;
  made.baseLabel = base;
  if (!base.empty()) made.version.parentDigest = Digest{};
  return made;
}

std::vector<std::string> branches(const std::vector<ListRow>& rows) {
  std::vector<std::string> texts;
  for (const TreeLine& line : lineageTree(rows)) {
    texts.push_back(line.branch + " v" + std::to_string(line.row->version.number));
  }
  return texts;
}

TEST(LineageTree, HangsVariantsUnderTheirBasesNewestFirst) {
  const std::vector<ListRow> rows{row("bert", 1, ""), row("ner", 1, "bert:v1"),
                                  row("sst2", 1, "bert:v1"), row("sst2", 2, "bert:v1"),
                                  row("vit", 1, "")};
  EXPECT_EQ(branches(rows), (std::vector<std::string>{"bert v1", "|-- ner v1", "`-- sst2 v2",
                                                      "    `-- v1", "vit v1"}));
}

TEST(LineageTree, ShowsVariantsWhoseBaseIsNotListed) {
  const std::vector<ListRow> rows{row("ner", 1, "bert:v1"), row("sst2", 1, "bert:v1")};
  EXPECT_EQ(branches(rows),
            (std::vector<std::string>{"ner (of bert:v1) v1", "sst2 (of bert:v1) v1"}));
}

}  // namespace
}  // namespace strata::cli
