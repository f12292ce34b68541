#include "onnx_io/torch/pickle_reader.h"

#include <gtest/gtest.h>

#include <list>
#include <string>

namespace strata {
namespace {

using namespace std::string_literals;

Result<PickleTree> read(const std::string& pickle) {
  return readPickle(std::as_bytes(std::span(pickle)));
}

/// The tree of a pickle that lives as long as the tests, since trees view theirs.
PickleTree tree(const std::string& pickle) {
  static std::list<std::string> kept;
  auto out = read(kept.emplace_back(pickle));
  EXPECT_TRUE(out) << out.error().message;
  return out ? std::move(*out) : PickleTree();
}

void expectRefused(const std::string& pickle, ErrorCode code, std::string_view part) {
  const auto out = read(pickle);
  ASSERT_FALSE(out) << part;
  EXPECT_EQ(out.error().code, code);
  EXPECT_NE(out.error().message.find(part), std::string::npos) << out.error().message;
}

TEST(PickleTree, ReadsValues) {
  const PickleTree list = tree(
      "\x80\x02](NKA\x88\x89M\x01\x02J\xFE\xFF\xFF\xFF\x8A\x01\x80\x8A\x00"
      "G\x3F\xC0\0\0\0\0\0\0X\x02\0\0\0abC\x01z\x8B\x09\0\0\0"
      "123456789e."s);
  ASSERT_TRUE(list.is(list.root(), PickleKind::List));
  const auto at = [&](std::size_t i) { return list.element(list.root(), i); };
  EXPECT_TRUE(list.is(at(0), PickleKind::None));
  EXPECT_EQ(list.count(at(1)), 65U);
  EXPECT_EQ(list.number(at(2)), 1.0);
  EXPECT_EQ(list.number(at(3)), 0.0);
  EXPECT_EQ(list.count(at(4)), 0x201U);
  EXPECT_EQ(list.number(at(5)), -2.0);
  EXPECT_FALSE(list.count(at(5)));
  EXPECT_EQ(list.number(at(6)), -128.0);
  EXPECT_EQ(list.count(at(7)), 0U);
  EXPECT_EQ(list.number(at(8)), 0.125);
  EXPECT_EQ(list.text(at(9)), "ab");
  EXPECT_TRUE(list.is(at(10), PickleKind::Bytes));
  EXPECT_TRUE(list.is(at(11), PickleKind::Other));
  EXPECT_EQ(at(12), kNoPickleId);
}

TEST(PickleTree, ReadsMapsAndWhatTheMemoShares) {
  const PickleTree map = tree(
      "\x80\x04}\x94(\x8C\x01"
      "a\x94K\x01\x8C\x01"
      "bh\x01u."s);
  EXPECT_EQ(map.count(map.member(map.root(), "a")), 1U);
  EXPECT_EQ(map.text(map.member(map.root(), "b")), "a");
  EXPECT_EQ(map.member(map.root(), "c"), kNoPickleId);
}

/// os.system("x") as a pickle has it: what would run is an Object that names it.
TEST(PickleTree, CallsNothing) {
  const PickleTree called = tree(
      "\x80\x02"
      "cos\nsystem\nX\x01\0\0\0x\x85R."s);
  const PickleValue& value = called[called.root()];
  ASSERT_EQ(value.kind, PickleKind::Object);
  EXPECT_EQ(called.moduleOf(value.callee), "os");
  EXPECT_EQ(called.nameOf(value.callee), "system");
  EXPECT_EQ(called.text(called.element(value.args, 0)), "x");
}

TEST(PickleTree, FillsObjects) {
  const PickleTree made = tree(
      "\x80\x04\x8C\x01m\x8C\x01"
      "C\x93)\x81}\x8C\x01kK\x07sb."s);
  EXPECT_EQ(made.count(made.attribute(made.root(), "k")), 7U);
  const PickleTree pairs = tree(
      "\x80\x02"
      "ccollections\nOrderedDict\n)RX\x01\0\0\0kK\x07s."s);
  EXPECT_EQ(pairs.count(pairs.member(pairs.root(), "k")), 7U);
}

TEST(PickleTree, RefusesWhatIsNotThere) {
  expectRefused("", ErrorCode::CorruptData, "cut");
  expectRefused("\x80\x02.", ErrorCode::CorruptData, "not there");
  expectRefused("\x80\x02t.", ErrorCode::CorruptData, "mark");
  expectRefused("\x80\x02(\x85.", ErrorCode::CorruptData, "not there");  // below the mark
  expectRefused("\x80\x02h\x05.", ErrorCode::CorruptData, "memo");
  expectRefused("\x80\x02NNa.", ErrorCode::CorruptData, "holds none");
  expectRefused("\x80\x02}(Nu.", ErrorCode::CorruptData, "no value");
  expectRefused("\x80\x02NNb.", ErrorCode::CorruptData, "no object");
  expectRefused("\x80\x02X\xFF\xFF\xFF\xFFz.", ErrorCode::CorruptData, "cut");
  expectRefused("\x80\x05\x96\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF.", ErrorCode::CorruptData, "cut");
  expectRefused("\x80\x07N.", ErrorCode::Unsupported, "newer");
  expectRefused("\x80\x05\x97.", ErrorCode::Unsupported, "0x97");
  expectRefused("\x80\x02I1\n.", ErrorCode::Unsupported, "0x49");
}

TEST(PickleTree, BoundsMemory) {
  std::string many = "\x80\x02(";
  many.append((4 << 20) + 1, 'N');
  expectRefused(many + "t.", ErrorCode::Unsupported, "too many values");
  expectRefused("\x80\x02Nr\xFF\xFF\xFF\x7F.", ErrorCode::Unsupported, "memo is too large");
  expectRefused(std::string((64 << 20) + 1, 'N'), ErrorCode::Unsupported, "at most");
}

/// A million lists, each in the next, cost no stack.
TEST(PickleTree, TakesAnyDepth) {
  std::string deep = "\x80\x02";
  deep.append(1'000'000, ']');
  deep.append(999'999, 'a');
  EXPECT_TRUE(read(deep + "."));
}

TEST(PickleTree, EveryCutIsRefused) {
  const std::string whole =
      "\x80\x04\x95\x09\0\0\0\0\0\0\0\x8C\x01m\x8C\x01"
      "C\x93)\x81}(\x8C\x01kK\x07\x8C\x01j(K\x01K\x02tub."s;
  ASSERT_TRUE(read(whole));
  for (std::size_t kept = 0; kept < whole.size(); ++kept) EXPECT_FALSE(read(whole.substr(0, kept)));
}

}  // namespace
}  // namespace strata
