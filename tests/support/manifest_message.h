#pragma once

#include <string_view>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/manifest.pb.h"

namespace strata::test {

/// A manifest as protobuf's own message, for what no struct can say. Offsets are as `offsets` has
/// them.
inline archive::Manifest messageOf(const Manifest& manifest, Offsets offsets) {
  archive::Manifest message;
  const auto bytes = encodeMessage(manifest, offsets);
  if (!bytes || !message.ParseFromString(*bytes)) message.Clear();
  return message;
}

/// Of memory, for messages of tests.
inline constexpr std::uint64_t kMostMessageMemory = std::uint64_t{1} << 30;

}  // namespace strata::test
