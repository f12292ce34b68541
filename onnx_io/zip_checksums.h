#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace strata {

/// CRC-32 as zip archives have it, of bytes that come in pieces.
class ZipChecksum {
 public:
  void add(std::span<const std::byte> bytes) noexcept;
  std::uint32_t value() const noexcept { return ~crc_; }

 private:
  std::uint32_t crc_ = 0xFFFFFFFF;
};

/// The same of all bytes at once.
std::uint32_t zipChecksum(std::span<const std::byte> bytes) noexcept;

/// The first member of a zip archive whose bytes do not have the checksum that the archive says;
/// empty where all have, or the file is no archive that can be listed. Compressed members are not
/// looked at. That PyTorch reads such a file without a word is no proof that it is whole: it checks
/// none, and can be told to write none.
std::string memberWithOtherChecksum(std::span<const std::byte> file);

}  // namespace strata
