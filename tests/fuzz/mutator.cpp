#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>

namespace strata::test {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void Mutator::mutate(std::vector<std::byte>& bytes) {
  for (std::size_t left = 1 + below(4); left > 0 && !bytes.empty(); --left) mutateOnce(bytes);
}

void Mutator::mutateOnce(std::vector<std::byte>& bytes) {
  constexpr std::array kEdges{0, 1, 2, 0x7f, 0x80, 0xfe, 0xff};
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size()));
  const auto run = static_cast<std::ptrdiff_t>(
      std::min<std::size_t>(1 + below(8), static_cast<std::size_t>(bytes.end() - at)));
  switch (below(6)) {
    case 0:
    case 1:
      *at ^= static_cast<std::byte>(1 << below(8));
      break;
    case 2:
      *at = static_cast<std::byte>(kEdges[below(kEdges.size())]);
      break;
    case 3:
      bytes.erase(at, at + run);
      break;
    case 4: {
      const std::vector<std::byte> copy(at, at + run);
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size())), copy.begin(),
                   copy.end());
      break;
    }
    default:
      std::fill_n(at, run, static_cast<std::byte>(below(256)));
  }
}

std::uint64_t Mutator::number(std::uint64_t near) {
  switch (below(5)) {
    case 0:
      return near + below(5) - 2;
    case 1:
      return below(64);
    case 2:
      return (std::uint64_t{1} << below(64)) - below(2);
    case 3:
      return near << below(40);
    default:
      return ~std::uint64_t{0} >> below(64);
  }
}

void Mutator::mutate(Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  if (fields.empty()) return;
  const FieldDescriptor& field = *fields[below(fields.size())];
  if (field.is_repeated()) {
    const int count = reflection.FieldSize(message, &field);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && below(6) != 0) {
      const auto index = static_cast<int>(below(static_cast<std::size_t>(count)));
      return mutate(*reflection.MutableRepeatedMessage(&message, &field, index));
    }
    return mutateEntries(message, field);
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && below(10) != 0) {
    return mutate(*reflection.MutableMessage(&message, &field));
  }
  mutateField(message, field);
}

void Mutator::mutateEntries(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  const auto count = static_cast<std::size_t>(reflection.FieldSize(message, &field));
  const auto index = static_cast<int>(below(count));
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64 && below(3) != 0) {
    const std::uint64_t before = reflection.GetRepeatedUInt64(message, &field, index);
    return reflection.SetRepeatedUInt64(&message, &field, index, number(before));
  }
  switch (below(3)) {
    case 0:
      reflection.SwapElements(&message, &field, index, static_cast<int>(below(count)));
      break;
    case 1:
      reflection.RemoveLast(&message, &field);
      break;
    default:
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        const Message& entry = reflection.GetRepeatedMessage(message, &field, index);
        const std::unique_ptr<Message> copy(entry.New());
        copy->CopyFrom(entry);
        reflection.AddMessage(&message, &field)->CopyFrom(*copy);
      }
  }
}

void Mutator::mutateField(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(
          &message, &field,
          static_cast<std::uint32_t>(number(reflection.GetUInt32(message, &field))));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.SetUInt64(&message, &field, number(reflection.GetUInt64(message, &field)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, !reflection.GetBool(message, &field));
    default:
      reflection.ClearField(&message, &field);
  }
}

}  // namespace strata::test
