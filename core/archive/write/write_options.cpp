#include "core/archive/write/write_options.h"

#include <fmt/format.h>

namespace strata {

Result<std::optional<CodecId>> exactCodecFromName(std::string_view name) {
  if (name == "auto") return std::optional<CodecId>();
  const auto codec = codecFromName(name);
  // Which words are the same as the parent's, lie in another place or have sizes that tell them, is
  // found and not asked for.
  const bool isFound =
      codec == CodecId::Same || codec == CodecId::ZstdView || codec == CodecId::Sized;
  if (codec && !isLossy(*codec) && !isFound) return codec;
  const std::string what = isFound ? fmt::format("codec \"{}\" is not for choosing", name)
                           : codec ? fmt::format("not an exact codec \"{}\"", name)
                                   : fmt::format("unknown codec \"{}\"", name);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}, expected auto, raw, zstd, planes, integer or xor; lossy: {}", what,
                          lossyCodecNames()));
}

}  // namespace strata
