#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <string_view>

namespace strata {

/// Bytes of memory that a message of `prototype`'s type takes once it is parsed from `bytes`,
/// about: each message, string and number of a list as large as protobuf makes it. An empty message
/// of two bytes takes forty times as much memory, so who reads what others wrote asks before
/// parsing. Stops counting above `limit`. Malformed bytes count as far as they can be read.
std::uint64_t parsedMemory(const google::protobuf::Message& prototype, std::string_view bytes,
                           std::uint64_t limit);

}  // namespace strata
