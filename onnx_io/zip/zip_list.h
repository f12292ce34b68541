#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "onnx_io/tensor_span.h"

namespace strata {

/// One member of a zip archive.
struct ZipEntry {
  std::string name;  ///< as the archive spells it; a copy, since a trainer may write the file
  ByteRange data;    ///< of the member's bytes, from the start of the file
  /// Whether `data` are the member's bytes themselves: neither compressed nor encrypted.
  bool isPlain = false;
  std::uint32_t crc = 0;      ///< CRC-32 of its bytes, as the central directory says
  std::uint64_t header = 0;   ///< where its own header lies, from the start of the file
  std::uint64_t listed = 0;   ///< where its line of the central directory lies
  bool isSaidBehind = false;  ///< its checksum and sizes follow its bytes, too
};

/// A zip archive as its central directory lists it.
struct ZipList {
  ByteRange range;                ///< of the archive in the file, with its end record
  std::vector<ZipEntry> entries;  ///< in the order of their bytes
};

/// Lists the members of the archive that a file is. Nothing is unpacked.
///
/// Both lists of a member (its own header and the central directory) must say the same, members lie
/// one behind the other before the directory, and the directory ends where the end records begin;
/// zip64, extra fields and comments are read. Fails with CorruptData where that is not so or a name
/// is there twice, and with Unsupported for archives in several volumes and over a million members.
Result<ZipList> listZip(std::span<const std::byte> file);

/// Lists archives that lie one behind the other, from the start of the file on. What follows the
/// last one that can be read belongs to none.
std::vector<ZipList> listZips(std::span<const std::byte> file);

/// Where the checksum of a member stands: in the central directory, and in the header or behind the
/// bytes, where those say the same.
std::vector<std::uint64_t> checksumPlaces(std::span<const std::byte> file, const ZipEntry& entry);

/// Whether a file begins as a zip archive does.
bool looksLikeZip(std::span<const std::byte> file) noexcept;

}  // namespace strata
