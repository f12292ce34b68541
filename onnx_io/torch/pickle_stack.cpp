#include "onnx_io/torch/pickle_stack.h"

#include <string>
#include <utility>

namespace strata {
namespace {

constexpr std::size_t kMaxValues = 4 << 20;

}  // namespace

void PickleStack::refuse(ErrorCode code, std::string_view what) {
  if (!problem_) problem_ = Error{code, std::string(what)};
}

PickleId PickleStack::pop() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) {
    refuse("takes a value that is not there");
    return kNoPickleId;
  }
  const PickleId id = stack_.back();
  stack_.pop_back();
  return id;
}

PickleStack::Items PickleStack::popToMark() {
  if (marks_.empty()) {
    refuse("takes a mark that is not there");
    return {};
  }
  const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  Items items(from, stack_.end());
  stack_.erase(from, stack_.end());
  marks_.pop_back();
  return items;
}

PickleId PickleStack::make(PickleValue value) {
  if (tree_.values_.size() == kMaxValues) {
    refuse(ErrorCode::Unsupported, "the pickle has too many values");
    return kNoPickleId;
  }
  tree_.values_.push_back(std::move(value));
  return static_cast<PickleId>(tree_.values_.size() - 1);
}

void PickleStack::push(PickleValue value) { stack_.push_back(make(std::move(value))); }

void PickleStack::pushText(PickleKind kind, std::string_view text) {
  PickleValue value;
  value.kind = kind;
  value.text = text;
  push(std::move(value));
}

void PickleStack::pushInteger(std::int64_t number) {
  PickleValue value;
  value.kind = PickleKind::Integer;
  value.integer = number;
  push(std::move(value));
}

void PickleStack::pushItems(PickleKind kind, Items items) {
  PickleValue value;
  value.kind = kind;
  value.hasPairs = kind == PickleKind::Map;
  if (value.hasPairs && items.size() % 2 != 0) return refuse("a key has no value");
  value.items = std::move(items);
  push(std::move(value));
}

void PickleStack::pushTuple(std::size_t count) {
  Items items(count);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  pushItems(PickleKind::Tuple, std::move(items));
}

void PickleStack::pushObject(PickleId callee, PickleId args, PickleId state) {
  PickleValue value;
  value.kind = PickleKind::Object;
  value.callee = callee;
  value.args = args;
  value.state = state;
  push(std::move(value));
}

void PickleStack::put(std::uint64_t place) {
  if (place >= kMaxValues) return refuse(ErrorCode::Unsupported, "the memo is too large");
  const PickleId top = pop();
  stack_.push_back(top);
  if (place >= memo_.size()) memo_.resize(place + 1, kNoPickleId);
  memo_[place] = top;
}

void PickleStack::get(std::uint64_t place) {
  const bool isThere = place < memo_.size() && memo_[place] != kNoPickleId;
  if (!isThere) return refuse("takes from the memo what is not there");
  stack_.push_back(memo_[place]);
}

void PickleStack::give(const Items& items, bool arePairs) {
  const PickleId id = pop();
  if (problem_) return;
  stack_.push_back(id);
  PickleValue& target = tree_.values_[id];
  const bool isObject = target.kind == PickleKind::Object;
  const bool isList = target.kind == PickleKind::List || target.kind == PickleKind::Set;
  if (isObject && target.items.empty()) target.hasPairs = arePairs;
  const bool fits = target.hasPairs == arePairs &&
                    (isObject || (arePairs ? target.kind == PickleKind::Map : isList));
  if (!fits) return refuse("gives items to what holds none");
  if (arePairs && items.size() % 2 != 0) return refuse("a key has no value");
  target.items.insert(target.items.end(), items.begin(), items.end());
}

void PickleStack::build(PickleId state) {
  const PickleId target = pop();
  if (problem_) return;
  stack_.push_back(target);
  if (!tree_.is(target, PickleKind::Object)) return refuse("fills what is no object");
  tree_.values_[target].state = state;
}

void PickleStack::popValueOrMark() {
  if (!marks_.empty() && marks_.back() == stack_.size()) {
    marks_.pop_back();
  } else {
    pop();
  }
}

void PickleStack::duplicate() {
  const PickleId top = pop();
  stack_.insert(stack_.end(), 2, top);
}

PickleTree PickleStack::finish() {
  tree_.root_ = pop();
  return std::move(tree_);
}

}  // namespace strata
