#include "onnx_io/torch/pickle_reader.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx_io/torch/pickle_opcodes.h"
#include "onnx_io/torch/pickle_stack.h"

namespace strata {
namespace {

using namespace pickle;

constexpr std::uint64_t kNewestProtocol = 5;

/// Reads one opcode after the other and does to the stack what it says.
class PickleReader {
 public:
  explicit PickleReader(std::span<const std::byte> pickle)
      : text_(reinterpret_cast<const char*>(pickle.data()), pickle.size()) {}

  Result<PickleTree> run();

 private:
  void step(std::uint8_t opcode);
  bool stepOfValue(std::uint8_t opcode);
  bool stepOfText(std::uint8_t opcode);
  bool stepOfMemo(std::uint8_t opcode);
  bool stepOfContainer(std::uint8_t opcode);
  bool stepOfObject(std::uint8_t opcode);

  std::string_view take(std::uint64_t byteCount);
  std::string_view line();
  std::uint64_t number(std::size_t byteCount);
  void pushLong(std::uint64_t byteCount);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t opcodeAt_ = 0;
  PickleStack stack_;
  std::optional<PickleTree> tree_;
};

std::string_view PickleReader::take(std::uint64_t byteCount) {
  if (byteCount > text_.size() - at_) {
    stack_.refuse("the pickle is cut");
    return {};
  }
  const std::string_view out = text_.substr(at_, byteCount);
  at_ += byteCount;
  return out;
}

std::string_view PickleReader::line() {
  const std::size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) {
    stack_.refuse("the pickle is cut");
    return {};
  }
  const std::string_view out = text_.substr(at_, end - at_);
  at_ = end + 1;
  return out;
}

std::uint64_t PickleReader::number(std::size_t byteCount) {
  const std::string_view bytes = take(byteCount);
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return value;
}

/// A number in two's complement of any length.
void PickleReader::pushLong(std::uint64_t byteCount) {
  const std::string_view bytes = take(byteCount);
  if (bytes.size() > sizeof(std::int64_t)) return stack_.pushText(PickleKind::Other, bytes);
  const bool isNegative = !bytes.empty() && (bytes.back() & 0x80) != 0;
  std::uint64_t value = isNegative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  stack_.pushInteger(static_cast<std::int64_t>(value));
}

bool PickleReader::stepOfValue(std::uint8_t opcode) {
  PickleValue value;
  switch (opcode) {
    case kNone:
      stack_.push(std::move(value));
      return true;
    case kNewTrue:
    case kNewFalse:
      value.kind = PickleKind::Bool;
      value.integer = opcode == kNewTrue ? 1 : 0;
      stack_.push(std::move(value));
      return true;
    case kBinInt:
      stack_.pushInteger(static_cast<std::int32_t>(number(4)));
      return true;
    case kBinInt1:
      stack_.pushInteger(static_cast<std::int64_t>(number(1)));
      return true;
    case kBinInt2:
      stack_.pushInteger(static_cast<std::int64_t>(number(2)));
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
      stack_.push(std::move(value));
      return true;
    }
    default:
      return false;
  }
}

bool PickleReader::stepOfText(std::uint8_t opcode) {
  switch (opcode) {
    case kBinUnicode:
    case kBinString:
      stack_.pushText(PickleKind::Text, take(number(4)));
      return true;
    case kShortBinUnicode:
    case kShortBinString:
      stack_.pushText(PickleKind::Text, take(number(1)));
      return true;
    case kBinUnicode8:
      stack_.pushText(PickleKind::Text, take(number(8)));
      return true;
    case kBinBytes:
      stack_.pushText(PickleKind::Bytes, take(number(4)));
      return true;
    case kShortBinBytes:
      stack_.pushText(PickleKind::Bytes, take(number(1)));
      return true;
    case kBinBytes8:
    case kByteArray8:
      stack_.pushText(PickleKind::Bytes, take(number(8)));
      return true;
    default:
      return false;
  }
}

bool PickleReader::stepOfMemo(std::uint8_t opcode) {
  switch (opcode) {
    case kBinPut:
      stack_.put(number(1));
      return true;
    case kLongBinPut:
      stack_.put(number(4));
      return true;
    case kMemoize:
      stack_.memoize();
      return true;
    case kBinGet:
      stack_.get(number(1));
      return true;
    case kLongBinGet:
      stack_.get(number(4));
      return true;
    case kMark:
      stack_.mark();
      return true;
    case kPop:
      stack_.popValueOrMark();
      return true;
    case kPopMark:
      stack_.popToMark();
      return true;
    case kDup:
      stack_.duplicate();
      return true;
    case kProto:
      if (number(1) > kNewestProtocol) stack_.refuse(ErrorCode::Unsupported, "a newer protocol");
      return true;
    case kFrame:
      number(8);
      return true;
    default:
      return false;
  }
}

bool PickleReader::stepOfContainer(std::uint8_t opcode) {
  switch (opcode) {
    case kEmptyTuple:
      stack_.pushTuple(0);
      return true;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      stack_.pushTuple(opcode - kTuple1 + std::size_t{1});
      return true;
    case kTuple:
      stack_.pushItems(PickleKind::Tuple, stack_.popToMark());
      return true;
    case kEmptyList:
      stack_.pushItems(PickleKind::List, {});
      return true;
    case kList:
      stack_.pushItems(PickleKind::List, stack_.popToMark());
      return true;
    case kEmptyDict:
      stack_.pushItems(PickleKind::Map, {});
      return true;
    case kDict:
      stack_.pushItems(PickleKind::Map, stack_.popToMark());
      return true;
    case kEmptySet:
      stack_.pushItems(PickleKind::Set, {});
      return true;
    case kFrozenSet:
      stack_.pushItems(PickleKind::Set, stack_.popToMark());
      return true;
    case kAppend:
      stack_.give({stack_.pop()}, false);
      return true;
    case kAppends:
    case kAddItems:
      stack_.give(stack_.popToMark(), false);
      return true;
    case kSetItem: {
      const PickleId value = stack_.pop();
      const PickleId key = stack_.pop();
      stack_.give({key, value}, true);
      return true;
    }
    case kSetItems:
      stack_.give(stack_.popToMark(), true);
      return true;
    default:
      return false;
  }
}

bool PickleReader::stepOfObject(std::uint8_t opcode) {
  switch (opcode) {
    case kGlobal:
    case kStackGlobal: {
      if (opcode == kGlobal) {
        stack_.pushText(PickleKind::Text, line());
        stack_.pushText(PickleKind::Text, line());
      }
      PickleValue value;
      value.kind = PickleKind::Name;
      value.args = stack_.pop();
      value.callee = stack_.pop();
      stack_.push(std::move(value));
      return true;
    }
    case kReduce:
    case kNewObj: {
      const PickleId args = stack_.pop();
      const PickleId callee = stack_.pop();
      stack_.pushObject(callee, args);
      return true;
    }
    case kNewObjEx: {
      const PickleId named = stack_.pop();
      const PickleId args = stack_.pop();
      const PickleId callee = stack_.pop();
      stack_.pushObject(callee, args, named);
      return true;
    }
    case kObj: {
      PickleStack::Items items = stack_.popToMark();
      if (items.empty()) {
        stack_.refuse("takes a value that is not there");
        return true;
      }
      const PickleId callee = items.front();
      items.erase(items.begin());
      stack_.pushItems(PickleKind::Tuple, std::move(items));
      const PickleId args = stack_.pop();
      stack_.pushObject(callee, args);
      return true;
    }
    case kBuild:
      stack_.build(stack_.pop());
      return true;
    case kBinPersId: {
      PickleValue value;
      value.kind = PickleKind::Stored;
      value.args = stack_.pop();
      stack_.push(std::move(value));
      return true;
    }
    case kExt1:
    case kExt2:
    case kExt4:
      stack_.pushText(PickleKind::Other, take(opcode == kExt1 ? 1 : opcode == kExt2 ? 2 : 4));
      return true;
    default:
      return false;
  }
}

void PickleReader::step(std::uint8_t opcode) {
  if (opcode == kStop) {
    tree_ = stack_.finish();
    return;
  }
  const bool isKnown = stepOfValue(opcode) || stepOfText(opcode) || stepOfMemo(opcode) ||
                       stepOfContainer(opcode) || stepOfObject(opcode);
  if (!isKnown) {
    stack_.refuse(ErrorCode::Unsupported,
                  fmt::format("opcode {:#04x} is none that is read", opcode));
  }
}

Result<PickleTree> PickleReader::run() {
  if (text_.size() > kMaxPickleBytes) {
    return fail(ErrorCode::Unsupported, fmt::format("the pickle has {} bytes, at most {} are read",
                                                    text_.size(), kMaxPickleBytes));
  }
  while (!tree_ && !stack_.problem()) {
    opcodeAt_ = at_;
    const std::string_view opcode = take(1);
    if (!opcode.empty()) step(static_cast<std::uint8_t>(opcode.front()));
  }
  if (const std::optional<Error>& problem = stack_.problem()) {
    return fail(problem->code, fmt::format("byte {}: {}", opcodeAt_, problem->message));
  }
  return std::move(*tree_);
}

}  // namespace

Result<PickleTree> readPickle(std::span<const std::byte> pickle) {
  return PickleReader(pickle).run();
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
