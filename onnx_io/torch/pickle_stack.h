#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "onnx_io/torch/pickle_tree.h"

namespace strata {

/// What a pickle's opcodes work on: the values made so far, the stack with its marks, and the memo.
/// What would call something makes an Object instead.
///
/// The first thing that does not fit is kept as the problem. After it, values are kNoPickleId and
/// nothing here is of use, so a caller looks once for each opcode.
class PickleStack {
 public:
  using Items = std::vector<PickleId>;

  void refuse(ErrorCode code, std::string_view what);
  void refuse(std::string_view what) { refuse(ErrorCode::CorruptData, what); }
  const std::optional<Error>& problem() const noexcept { return problem_; }

  void push(PickleValue value);
  void pushText(PickleKind kind, std::string_view text);
  void pushInteger(std::int64_t value);
  void pushTuple(std::size_t count);
  void pushItems(PickleKind kind, Items items);
  void pushObject(PickleId callee, PickleId args, PickleId state = kNoPickleId);

  PickleId pop();
  void mark() { marks_.push_back(stack_.size()); }
  Items popToMark();
  /// Takes off the mark, where it is the last thing, and a value otherwise.
  void popValueOrMark();
  void duplicate();

  /// Keeps the value on top under a number of the memo.
  void put(std::uint64_t place);
  void memoize() { put(memo_.size()); }
  void get(std::uint64_t place);

  /// Adds to the container, or the object that acts as one, on top of the stack.
  void give(const Items& items, bool arePairs);
  /// Gives the object on top its state, as `__setstate__` would take it.
  void build(PickleId state);

  /// The tree whose root is the value on top.
  PickleTree finish();

 private:
  PickleId make(PickleValue value);

  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;  ///< heights of the stack
  std::vector<PickleId> memo_;
  PickleTree tree_;
  std::optional<Error> problem_;
};

}  // namespace strata
