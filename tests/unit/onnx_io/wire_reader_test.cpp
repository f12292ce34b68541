#include "onnx_io/onnx/wire_reader.h"

#include <gtest/gtest.h>

#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::encodeVarint;
using test::WireMessage;

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// All fields of a message, or the failure that ended the walk.
Result<std::vector<WireField>> fieldsOf(const std::string& text) {
  std::vector<WireField> fields;
  const ByteRange whole{0, text.size()};
  STRATA_TRY(forEachField(bytesOf(text), std::span(&whole, 1), [&](const WireField& field) {
    fields.push_back(field);
    return Result<void>();
  }));
  return fields;
}

void expectCorrupt(const std::string& text, std::string_view part) {
  const auto fields = fieldsOf(text);
  ASSERT_FALSE(fields) << "accepted what should fail with: " << part;
  EXPECT_EQ(fields.error().code, ErrorCode::CorruptData);
  EXPECT_NE(fields.error().message.find(part), std::string::npos) << fields.error().message;
}

TEST(WireReader, FindsFieldsOfEachWireType) {
  const auto message = WireMessage()
                           .varint(1, 300)
                           .fixed64(2, 7)
                           .bytes(3, "abc")
                           .group(4, WireMessage().varint(1, 5))
                           .fixed32(5, 9);
  const auto fields = fieldsOf(message.text());
  ASSERT_TRUE(fields) << fields.error().message;
  ASSERT_EQ(fields->size(), 5U);
  EXPECT_EQ((*fields)[0].value, 300U);
  EXPECT_EQ((*fields)[1].payload.byteCount, 8U);
  EXPECT_EQ(textAt(bytesOf(message.text()), (*fields)[2].payload), "abc");
  EXPECT_TRUE((*fields)[3].is(4, WireType::Group));
  EXPECT_EQ((*fields)[3].payload.byteCount, 2U);
  EXPECT_EQ((*fields)[4].payload.byteCount, 4U);
}

TEST(WireReader, ReadsLongFormsOfNumbers) {
  for (int extraBytes = 0; extraBytes < 9; ++extraBytes) {
    const auto fields =
        fieldsOf(WireMessage().varint(1, 5, extraBytes).bytes(2, "xy", extraBytes).text());
    ASSERT_TRUE(fields) << fields.error().message;
    EXPECT_EQ((*fields)[0].value, 5U);
    EXPECT_EQ((*fields)[1].payload.byteCount, 2U);
  }
}

TEST(WireReader, RefusesEveryCutInsideAField) {
  const std::string text = WireMessage().varint(1, 300).fixed64(2, 7).bytes(3, "abc").text();
  for (const std::size_t kept : {1, 2, 4, 11, 13, 14, 15, 16}) {
    EXPECT_FALSE(fieldsOf(text.substr(0, kept))) << kept;
  }
}

TEST(WireReader, NamesPlaceAndNumbersOfALengthPastTheEnd) {
  expectCorrupt(encodeVarint(3 << 3 | 2) + encodeVarint(1000) + "abc",
                "byte 0: field 3 has 1000 bytes, but only 3 are left");
}

TEST(WireReader, RefusesALengthThatOverflows) {
  expectCorrupt(encodeVarint(3 << 3 | 2) + encodeVarint(~std::uint64_t{0}) + "abc", "field 3 has");
}

TEST(WireReader, RefusesTagsThatProtobufRefuses) {
  expectCorrupt(encodeVarint(0), "field number is 0");
  expectCorrupt(encodeVarint(1 << 3 | 6), "wire type of field 1 is 6");
  expectCorrupt(encodeVarint(std::uint64_t{1} << 40), "field number is");
  expectCorrupt(std::string(11, '\x80'), "over 10 bytes");
}

TEST(WireReader, RefusesGroupsThatDoNotMatch) {
  expectCorrupt(encodeVarint(4 << 3 | 3), "group 4 has no end");
  expectCorrupt(encodeVarint(4 << 3 | 4), "group 4 ends but never began");
  expectCorrupt(encodeVarint(4 << 3 | 3) + encodeVarint(5 << 3 | 4), "group 5 ends where group 4");
}

TEST(WireReader, BoundsTheDepthOfGroups) {
  std::string deep;
  for (int depth = 0; depth < 10'000; ++depth) deep += encodeVarint(4 << 3 | 3);
  expectCorrupt(deep, "groups nest deeper than 100");
}

TEST(WireReader, ReadsPackedAndUnpackedNumbersAlike) {
  const std::string text =
      WireMessage().varint(1, 300).bytes(1, encodeVarint(7) + encodeVarint(1 << 20)).text();
  std::vector<std::uint64_t> numbers;
  const auto fields = fieldsOf(text);
  ASSERT_TRUE(fields);
  for (const WireField& field : *fields) {
    ASSERT_TRUE(forEachVarint(bytesOf(text), field,
                              [&](std::uint64_t value) { numbers.push_back(value); }));
  }
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{300, 7, 1 << 20}));
}

}  // namespace
}  // namespace strata
