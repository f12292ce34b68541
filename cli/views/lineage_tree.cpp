#include "cli/views/lineage_tree.h"

#include <algorithm>
#include <map>

namespace strata::cli {
namespace {

/// Versions of one name under one base.
struct Variant {
  std::string name;
  std::vector<const ListRow*> versions;  ///< newest first
};

struct Root {
  std::string title;
  const ListRow* base = nullptr;
  std::vector<Variant> variants;
};

void addTo(Root& root, const ListRow& row) {
  auto& variants = root.variants;
  auto found = std::find_if(variants.begin(), variants.end(), [&](const Variant& variant) {
    return variant.name == row.version.name;
  });
  if (found == variants.end()) {
    variants.push_back({row.version.name, {}});
    found = variants.end() - 1;
  }
  found->versions.push_back(&row);
}

std::vector<Root> rootsOf(const std::vector<ListRow>& rows) {
  std::vector<Root> roots;
  std::map<std::string, std::size_t> placeOfBase;
  for (const ListRow& row : rows) {
    if (!row.version.isBase()) continue;
    placeOfBase[row.version.label()] = roots.size();
    roots.push_back({row.version.name, &row, {}});
  }
  for (const ListRow& row : rows) {
    if (row.version.isBase()) continue;
    const auto base = placeOfBase.find(row.baseLabel);
    if (base != placeOfBase.end()) {
      addTo(roots[base->second], row);
      continue;
    }
    placeOfBase[row.baseLabel] = roots.size();
    roots.push_back({row.baseLabel, nullptr, {}});
    addTo(roots.back(), row);
  }
  for (Root& root : roots) {
    for (Variant& variant : root.variants) {
      std::stable_sort(variant.versions.begin(), variant.versions.end(),
                       [](const ListRow* left, const ListRow* right) {
                         return left->version.number > right->version.number;
                       });
    }
  }
  return roots;
}

}  // namespace

std::vector<TreeLine> lineageTree(const std::vector<ListRow>& rows) {
  std::vector<TreeLine> lines;
  for (const Root& root : rootsOf(rows)) {
    if (root.base != nullptr) lines.push_back({root.title, root.base});
    for (std::size_t place = 0; place < root.variants.size(); ++place) {
      const Variant& variant = root.variants[place];
      const bool isLast = place + 1 == root.variants.size();
      std::string stem = isLast ? "    " : "|   ";
      std::string branch = (isLast ? "`-- " : "|-- ") + variant.name;
      // Without its base it would seem to hang on whatever stands above.
      if (root.base == nullptr) {
        stem.clear();
        branch = variant.name + " (of " + root.title + ")";
      }
      for (std::size_t version = 0; version < variant.versions.size(); ++version) {
        const bool isOldest = version + 1 == variant.versions.size();
        if (version > 0) branch = stem + (isOldest ? "`--" : "|--");
        lines.push_back({branch, variant.versions[version]});
      }
    }
  }
  return lines;
}

}  // namespace strata::cli
