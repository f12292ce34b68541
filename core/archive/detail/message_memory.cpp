#include "core/archive/detail/message_memory.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace strata {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// What a list keeps for each entry beside the entry.
constexpr std::uint64_t kPointerBytes = 8;
constexpr std::uint64_t kStringBytes = 32;
constexpr int kMostDepth = 16;

class MemoryCount {
 public:
  explicit MemoryCount(std::uint64_t limit) : limit_(limit) {}

  void add(const Message& prototype, std::string_view bytes, int depth = 0) {
    bytes_ += prototype.SpaceUsedLong() + kPointerBytes;
    if (depth > kMostDepth) return;
    CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                        static_cast<int>(bytes.size()));
    while (bytes_ <= limit_) {
      const std::uint32_t tag = in.ReadTag();
      if (tag == 0) return;
      const FieldDescriptor* field =
          prototype.GetDescriptor()->FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      const bool isRun =
          WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
      if (!isRun) {
        if (!WireFormatLite::SkipField(&in, tag)) return;
        bytes_ += field != nullptr && field->is_repeated() ? sizeof(std::uint64_t) : 0;
        continue;
      }
      std::uint32_t count = 0;
      if (!in.ReadVarint32(&count)) return;
      const auto at = static_cast<std::size_t>(in.CurrentPosition());
      if (count > bytes.size() - at) return;
      addRun(field, bytes.substr(at, count), depth);
      in.Skip(static_cast<int>(count));
    }
  }

  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  void addRun(const FieldDescriptor* field, std::string_view run, int depth) {
    if (field == nullptr) {
      bytes_ += kStringBytes + run.size();  // kept as an unknown field
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      add(*MessageFactory::generated_factory()->GetPrototype(field->message_type()), run,
          depth + 1);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      bytes_ += kPointerBytes + kStringBytes + run.size();
    } else {
      bytes_ += sizeof(std::uint64_t) * run.size();  // packed numbers, of a byte each at least
    }
  }

  std::uint64_t limit_;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::uint64_t parsedMemory(const Message& prototype, std::string_view bytes, std::uint64_t limit) {
  MemoryCount count(limit);
  count.add(prototype, bytes);
  return count.bytes();
}

}  // namespace strata
