#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata::hub {

/// A run of a file's bytes.
struct ByteRange {
  std::uint64_t firstByte = 0;
  std::uint64_t byteCount = 0;
};

/// What a `Range` header (RFC 9110, 14.2) asks of a file.
struct AskedRange {
  enum class Kind {
    Whole,          ///< no range, one that we do not understand, or several: the whole file
    Part,           ///< one run of bytes
    Unsatisfiable,  ///< begins behind the end: 416
  };
  Kind kind = Kind::Whole;
  ByteRange range;  ///< of Part; not empty
};

AskedRange readRange(std::string_view header, std::uint64_t fileBytes) noexcept;

}  // namespace strata::hub
