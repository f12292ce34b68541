#include "tests/support/zip_encoder.h"

namespace strata::test {
namespace {

std::string number(std::uint64_t value, int byteCount) {
  std::string out;
  for (int i = 0; i < byteCount; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

std::string header(const ZipMember& member) {
  const std::string& name = member.headerName.empty() ? member.name : member.headerName;
  const std::uint16_t flags = member.flags | (member.isSaidBehind ? 8 : 0);
  const std::uint64_t byteCount = member.isSaidBehind ? 0 : member.bytes.size();
  return "PK\x03\x04" + number(20, 2) + number(flags, 2) + number(member.method, 2) + number(0, 4) +
         number(0, 4) + number(byteCount, 4) + number(byteCount, 4) + number(name.size(), 2) +
         number(member.extra.size(), 2) + name + member.extra;
}

std::string listed(const ZipMember& member, std::uint64_t headerAt) {
  const std::uint64_t at = headerAt + static_cast<std::uint64_t>(member.headerShift);
  const std::uint64_t byteCount =
      member.listedBytes < 0 ? member.bytes.size() : static_cast<std::uint64_t>(member.listedBytes);
  const std::uint16_t flags = member.flags | (member.isSaidBehind ? 8 : 0);
  const std::string extra = member.is64 ? number(1, 2) + number(24, 2) + number(byteCount, 8) +
                                              number(byteCount, 8) + number(at, 8)
                                        : "";
  const auto narrow = [&](std::uint64_t value) {
    return number(member.is64 ? 0xFFFFFFFF : value, 4);
  };
  return "PK\x01\x02" + number(20, 2) + number(20, 2) + number(flags, 2) +
         number(member.method, 2) + number(0, 4) + number(0, 4) + narrow(byteCount) +
         narrow(byteCount) + number(member.name.size(), 2) + number(extra.size(), 2) +
         number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) + narrow(at) + member.name +
         extra;
}

}  // namespace

std::string zipFile(const std::vector<ZipMember>& members, const ZipShape& shape) {
  std::string out;
  std::string list;
  for (const ZipMember& member : members) {
    list += listed(member, out.size());
    out += header(member) + member.bytes;
    if (member.isSaidBehind) {
      out += "PK\x07\x08" + number(0, 4) + number(member.bytes.size(), 4) +
             number(member.bytes.size(), 4);
    }
  }
  const std::uint64_t at = out.size() + static_cast<std::uint64_t>(shape.offsetShift);
  const std::uint64_t count = members.size() + static_cast<std::uint64_t>(shape.countShift);
  const std::uint64_t end = out.size() + list.size();
  out += list;
  if (shape.is64) {
    out += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
           number(count, 8) + number(count, 8) + number(list.size(), 8) + number(at, 8);
    out += "PK\x06\x07" + number(0, 4) + number(end, 8) + number(1, 4);
  }
  const std::uint64_t narrowAt = shape.is64 ? 0xFFFFFFFF : at;
  return out + "PK\x05\x06" + number(0, 4) + number(count, 2) + number(count, 2) +
         number(list.size(), 4) + number(narrowAt, 4) + number(shape.comment.size(), 2) +
         shape.comment;
}

std::string torchFile(std::string_view pickle, const std::vector<std::string>& storages,
                      std::string_view byteOrder) {
  std::vector<ZipMember> members;
  members.push_back({.name = "m/data.pkl", .bytes = std::string(pickle), .isSaidBehind = true});
  members.push_back({.name = "m/byteorder", .bytes = std::string(byteOrder)});
  for (std::size_t i = 0; i < storages.size(); ++i) {
    members.push_back({.name = "m/data/" + std::to_string(i),
                       .bytes = storages[i],
                       .extra = "FB\x04" + std::string(1, '\0') + "ZZZZ",
                       .isSaidBehind = true});
  }
  members.push_back({.name = "m/version", .bytes = "3\n"});
  return zipFile(members, {.is64 = true});
}

}  // namespace strata::test
