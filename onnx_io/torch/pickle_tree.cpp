#include "onnx_io/torch/pickle_tree.h"

#include <algorithm>

namespace strata {
namespace {

/// Pairs among which a key is looked for: many objects may share one map of any size.
constexpr std::size_t kMaxLookedAt = 128;

}  // namespace

std::string_view PickleTree::text(PickleId id) const noexcept {
  return is(id, PickleKind::Text) ? values_[id].text : std::string_view();
}

std::optional<double> PickleTree::number(PickleId id) const noexcept {
  if (is(id, PickleKind::Real)) return values_[id].real();
  const bool isWhole = is(id, PickleKind::Integer) || is(id, PickleKind::Bool);
  return isWhole ? std::optional(static_cast<double>(values_[id].integer)) : std::nullopt;
}

std::optional<std::uint64_t> PickleTree::count(PickleId id) const noexcept {
  const bool isOne = is(id, PickleKind::Integer) && values_[id].integer >= 0;
  return isOne ? std::optional(static_cast<std::uint64_t>(values_[id].integer)) : std::nullopt;
}

PickleId PickleTree::element(PickleId id, std::size_t index) const noexcept {
  const bool isRow = is(id, PickleKind::Tuple) || is(id, PickleKind::List);
  return isRow && index < values_[id].items.size() ? values_[id].items[index] : kNoPickleId;
}

PickleId PickleTree::member(PickleId id, std::string_view key) const noexcept {
  if (id >= values_.size() || !values_[id].hasPairs) return kNoPickleId;
  const std::vector<PickleId>& items = values_[id].items;
  const std::size_t end = std::min(items.size(), 2 * kMaxLookedAt);
  for (std::size_t i = 0; i + 1 < end; i += 2) {
    if (is(items[i], PickleKind::Text) && text(items[i]) == key) return items[i + 1];
  }
  return kNoPickleId;
}

PickleId PickleTree::attribute(PickleId id, std::string_view key) const noexcept {
  if (!is(id, PickleKind::Object)) return member(id, key);
  const PickleId found = member(values_[id].state, key);
  return found != kNoPickleId ? found : member(id, key);
}

std::string_view PickleTree::nameOf(PickleId id) const noexcept {
  return is(id, PickleKind::Name) ? text(values_[id].args) : std::string_view();
}

std::string_view PickleTree::moduleOf(PickleId id) const noexcept {
  return is(id, PickleKind::Name) ? text(values_[id].callee) : std::string_view();
}

}  // namespace strata
