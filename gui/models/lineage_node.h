#pragma once

#include <QString>
#include <memory>
#include <utility>
#include <vector>

#include "core/ops/inspect/list_versions.h"

namespace strata::gui {

/// A row of the library's tree.
struct LineageNode {
  enum class Kind { Base, Name, Version, More };

  Kind kind = Kind::Version;
  LineageNode* parent = nullptr;
  int place = 0;  ///< in the parent's children
  const ListRow* row = nullptr;
  bool isDamaged = false;  ///< a check found the version, or one of those under it, damaged
  QString name;
  std::vector<std::unique_ptr<LineageNode>> children;
  std::vector<std::unique_ptr<LineageNode>> folded;

  LineageNode* add(Kind childKind, const ListRow* version, QString childName) {
    children.push_back(std::make_unique<LineageNode>());
    LineageNode* child = children.back().get();
    child->kind = childKind;
    child->parent = this;
    child->row = version;
    child->name = std::move(childName);
    return child;
  }
};

}  // namespace strata::gui
