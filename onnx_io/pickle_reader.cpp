#include "onnx_io/pickle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx_io/pickle_opcodes.h"

namespace strata {
namespace {

using namespace pickle;

constexpr std::size_t kMaxValues = 4 << 20;
constexpr std::uint64_t kNewestProtocol = 5;

}  // namespace

/// The stack machine of the pickle format. What would call something makes an Object instead.
class PickleMachine {
 public:
  explicit PickleMachine(std::span<const std::byte> pickle)
      : text_(reinterpret_cast<const char*>(pickle.data()), pickle.size()) {}

  Result<PickleTree> run();

 private:
  using Items = std::vector<PickleId>;

  void step(std::uint8_t opcode);
  bool stepOfValue(std::uint8_t opcode);
  bool stepOfText(std::uint8_t opcode);
  bool stepOfMemo(std::uint8_t opcode);
  bool stepOfContainer(std::uint8_t opcode);
  bool stepOfObject(std::uint8_t opcode);

  void refuse(ErrorCode code, std::string_view what) {
    if (!problem_) problem_ = Error{code, fmt::format("byte {}: {}", opcodeAt_, what)};
  }
  void refuse(std::string_view what) { refuse(ErrorCode::CorruptData, what); }

  std::string_view take(std::uint64_t byteCount);
  std::string_view line();
  std::uint64_t number(std::size_t byteCount);
  PickleId pop();
  Items popToMark();
  PickleId make(PickleValue value);
  void push(PickleValue value);
  void pushText(PickleKind kind, std::string_view text);
  void pushInteger(std::int64_t value);
  void pushLong(std::uint64_t byteCount);
  void pushTuple(std::size_t count);
  void pushItems(PickleKind kind, Items items);
  void pushObject(PickleId callee, PickleId args, PickleId state = kNoPickleId);
  void put(std::uint64_t place);
  void get(std::uint64_t place);
  void give(const Items& items, bool arePairs);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t opcodeAt_ = 0;
  std::vector<PickleId> stack_;
  std::vector<std::size_t> marks_;  ///< heights of the stack
  std::vector<PickleId> memo_;
  PickleTree tree_;
  std::optional<Error> problem_;
  bool isDone_ = false;
};

std::string_view PickleMachine::take(std::uint64_t byteCount) {
  if (byteCount > text_.size() - at_) {
    refuse("the pickle is cut");
    return {};
  }
  const std::string_view out = text_.substr(at_, byteCount);
  at_ += byteCount;
  return out;
}

std::string_view PickleMachine::line() {
  const std::size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) {
    refuse("the pickle is cut");
    return {};
  }
  const std::string_view out = text_.substr(at_, end - at_);
  at_ = end + 1;
  return out;
}

std::uint64_t PickleMachine::number(std::size_t byteCount) {
  const std::string_view bytes = take(byteCount);
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return value;
}

PickleId PickleMachine::pop() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) {
    refuse("takes a value that is not there");
    return kNoPickleId;
  }
  const PickleId id = stack_.back();
  stack_.pop_back();
  return id;
}

PickleMachine::Items PickleMachine::popToMark() {
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

PickleId PickleMachine::make(PickleValue value) {
  if (tree_.values_.size() == kMaxValues) {
    refuse(ErrorCode::Unsupported, "the pickle has too many values");
    return kNoPickleId;
  }
  tree_.values_.push_back(std::move(value));
  return static_cast<PickleId>(tree_.values_.size() - 1);
}

void PickleMachine::push(PickleValue value) { stack_.push_back(make(std::move(value))); }

void PickleMachine::pushText(PickleKind kind, std::string_view text) {
  PickleValue value;
  value.kind = kind;
  value.text = text;
  push(std::move(value));
}

void PickleMachine::pushInteger(std::int64_t number) {
  PickleValue value;
  value.kind = PickleKind::Integer;
  value.integer = number;
  push(std::move(value));
}

/// A number in two's complement of any length.
void PickleMachine::pushLong(std::uint64_t byteCount) {
  const std::string_view bytes = take(byteCount);
  if (bytes.size() > sizeof(std::int64_t)) return pushText(PickleKind::Other, bytes);
  const bool isNegative = !bytes.empty() && (bytes.back() & 0x80) != 0;
  std::uint64_t value = isNegative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  pushInteger(static_cast<std::int64_t>(value));
}

void PickleMachine::pushItems(PickleKind kind, Items items) {
  PickleValue value;
  value.kind = kind;
  value.hasPairs = kind == PickleKind::Map;
  if (value.hasPairs && items.size() % 2 != 0) return refuse("a key has no value");
  value.items = std::move(items);
  push(std::move(value));
}

void PickleMachine::pushTuple(std::size_t count) {
  Items items(count);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  pushItems(PickleKind::Tuple, std::move(items));
}

void PickleMachine::pushObject(PickleId callee, PickleId args, PickleId state) {
  PickleValue value;
  value.kind = PickleKind::Object;
  value.callee = callee;
  value.args = args;
  value.state = state;
  push(std::move(value));
}

void PickleMachine::put(std::uint64_t place) {
  if (place >= kMaxValues) return refuse(ErrorCode::Unsupported, "the memo is too large");
  const PickleId top = pop();
  stack_.push_back(top);
  if (place >= memo_.size()) memo_.resize(place + 1, kNoPickleId);
  memo_[place] = top;
}

void PickleMachine::get(std::uint64_t place) {
  const bool isThere = place < memo_.size() && memo_[place] != kNoPickleId;
  if (!isThere) return refuse("takes from the memo what is not there");
  stack_.push_back(memo_[place]);
}

/// Adds to the container, or the object that acts as one, on top of the stack.
void PickleMachine::give(const Items& items, bool arePairs) {
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

bool PickleMachine::stepOfValue(std::uint8_t opcode) {
  PickleValue value;
  switch (opcode) {
    case kNone:
      push(std::move(value));
      return true;
    case kNewTrue:
    case kNewFalse:
      value.kind = PickleKind::Bool;
      value.integer = opcode == kNewTrue ? 1 : 0;
      push(std::move(value));
      return true;
    case kBinInt:
      pushInteger(static_cast<std::int32_t>(number(4)));
      return true;
    case kBinInt1:
      pushInteger(static_cast<std::int64_t>(number(1)));
      return true;
    case kBinInt2:
      pushInteger(static_cast<std::int64_t>(number(2)));
      return true;
    case kLong1:
      pushLong(number(1));
      return true;
    case kLong4:
      pushLong(number(4));
      return true;
    case kBinFloat: {
      value.kind = PickleKind::Real;
      std::uint64_t bits = 0;
      for (const char byte : take(8)) bits = bits << 8 | static_cast<std::uint8_t>(byte);
      value.integer = static_cast<std::int64_t>(bits);
      push(std::move(value));
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::stepOfText(std::uint8_t opcode) {
  switch (opcode) {
    case kBinUnicode:
    case kBinString:
      pushText(PickleKind::Text, take(number(4)));
      return true;
    case kShortBinUnicode:
    case kShortBinString:
      pushText(PickleKind::Text, take(number(1)));
      return true;
    case kBinUnicode8:
      pushText(PickleKind::Text, take(number(8)));
      return true;
    case kBinBytes:
      pushText(PickleKind::Bytes, take(number(4)));
      return true;
    case kShortBinBytes:
      pushText(PickleKind::Bytes, take(number(1)));
      return true;
    case kBinBytes8:
    case kByteArray8:
      pushText(PickleKind::Bytes, take(number(8)));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::stepOfMemo(std::uint8_t opcode) {
  switch (opcode) {
    case kBinPut:
      put(number(1));
      return true;
    case kLongBinPut:
      put(number(4));
      return true;
    case kMemoize:
      put(memo_.size());
      return true;
    case kBinGet:
      get(number(1));
      return true;
    case kLongBinGet:
      get(number(4));
      return true;
    case kMark:
      marks_.push_back(stack_.size());
      return true;
    case kPop:
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      return true;
    case kPopMark:
      popToMark();
      return true;
    case kDup: {
      const PickleId top = pop();
      stack_.insert(stack_.end(), 2, top);
      return true;
    }
    case kProto:
      if (number(1) > kNewestProtocol) refuse(ErrorCode::Unsupported, "a newer protocol");
      return true;
    case kFrame:
      number(8);
      return true;
    default:
      return false;
  }
}

bool PickleMachine::stepOfContainer(std::uint8_t opcode) {
  switch (opcode) {
    case kEmptyTuple:
      pushTuple(0);
      return true;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      pushTuple(opcode - kTuple1 + std::size_t{1});
      return true;
    case kTuple:
      pushItems(PickleKind::Tuple, popToMark());
      return true;
    case kEmptyList:
      pushItems(PickleKind::List, {});
      return true;
    case kList:
      pushItems(PickleKind::List, popToMark());
      return true;
    case kEmptyDict:
      pushItems(PickleKind::Map, {});
      return true;
    case kDict:
      pushItems(PickleKind::Map, popToMark());
      return true;
    case kEmptySet:
      pushItems(PickleKind::Set, {});
      return true;
    case kFrozenSet:
      pushItems(PickleKind::Set, popToMark());
      return true;
    case kAppend:
      give({pop()}, false);
      return true;
    case kAppends:
    case kAddItems:
      give(popToMark(), false);
      return true;
    case kSetItem: {
      const PickleId value = pop();
      const PickleId key = pop();
      give({key, value}, true);
      return true;
    }
    case kSetItems:
      give(popToMark(), true);
      return true;
    default:
      return false;
  }
}

bool PickleMachine::stepOfObject(std::uint8_t opcode) {
  switch (opcode) {
    case kGlobal:
    case kStackGlobal: {
      if (opcode == kGlobal) {
        pushText(PickleKind::Text, line());
        pushText(PickleKind::Text, line());
      }
      PickleValue value;
      value.kind = PickleKind::Name;
      value.args = pop();
      value.callee = pop();
      push(std::move(value));
      return true;
    }
    case kReduce:
    case kNewObj: {
      const PickleId args = pop();
      const PickleId callee = pop();
      pushObject(callee, args);
      return true;
    }
    case kNewObjEx: {
      const PickleId named = pop();
      const PickleId args = pop();
      const PickleId callee = pop();
      pushObject(callee, args, named);
      return true;
    }
    case kObj: {
      Items items = popToMark();
      if (items.empty()) {
        refuse("takes a value that is not there");
        return true;
      }
      const PickleId callee = items.front();
      items.erase(items.begin());
      pushItems(PickleKind::Tuple, std::move(items));
      const PickleId args = pop();
      pushObject(callee, args);
      return true;
    }
    case kBuild: {
      const PickleId state = pop();
      const PickleId target = pop();
      if (problem_) return true;
      stack_.push_back(target);
      if (!tree_.is(target, PickleKind::Object)) {
        refuse("fills what is no object");
      } else {
        tree_.values_[target].state = state;
      }
      return true;
    }
    case kBinPersId: {
      PickleValue value;
      value.kind = PickleKind::Stored;
      value.args = pop();
      push(std::move(value));
      return true;
    }
    case kExt1:
    case kExt2:
    case kExt4:
      pushText(PickleKind::Other, take(opcode == kExt1 ? 1 : opcode == kExt2 ? 2 : 4));
      return true;
    default:
      return false;
  }
}

void PickleMachine::step(std::uint8_t opcode) {
  if (opcode == kStop) {
    tree_.root_ = pop();
    isDone_ = true;
    return;
  }
  const bool isKnown = stepOfValue(opcode) || stepOfText(opcode) || stepOfMemo(opcode) ||
                       stepOfContainer(opcode) || stepOfObject(opcode);
  if (!isKnown) {
    refuse(ErrorCode::Unsupported, fmt::format("opcode {:#04x} is none that is read", opcode));
  }
}

Result<PickleTree> PickleMachine::run() {
  if (text_.size() > kMaxPickleBytes) {
    return fail(ErrorCode::Unsupported, fmt::format("the pickle has {} bytes, at most {} are read",
                                                    text_.size(), kMaxPickleBytes));
  }
  while (!isDone_ && !problem_) {
    opcodeAt_ = at_;
    const std::string_view opcode = take(1);
    if (!opcode.empty()) step(static_cast<std::uint8_t>(opcode.front()));
  }
  if (problem_) return fail(std::move(*problem_));
  return std::move(tree_);
}

Result<PickleTree> readPickle(std::span<const std::byte> pickle) {
  return PickleMachine(pickle).run();
}

bool looksLikePickle(std::span<const std::byte> file) noexcept {
  // What torch.save wrote first until 1.6, as protocols 0 and 1 spell it. They begin with no mark.
  constexpr std::string_view kOldTorch = "L119547037146038801333356L\n.";
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.starts_with(kOldTorch)) return true;
  if (file.size() < 3 || file[0] != std::byte{kProto}) return false;
  const auto protocol = std::to_integer<std::uint64_t>(file[1]);
  return protocol >= 2 && protocol <= kNewestProtocol;
}

}  // namespace strata
