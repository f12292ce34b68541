#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata::test {

/// A member of a zip archive as a test wants it, honest or not.
struct ZipMember {
  std::string name;
  std::string bytes;
  std::string extra = {};         ///< extra field of its header, as torch.save pads with
  bool isSaidBehind = false;      ///< sizes stand behind the bytes, as torch.save writes
  std::uint16_t method = 0;       ///< 8: compressed
  std::uint16_t flags = 0;        ///< 1: encrypted
  bool is64 = false;              ///< its numbers stand in zip64's extra field
  std::string headerName = {};    ///< in its own header, where that lies
  std::int64_t headerShift = 0;   ///< what the list gives in excess of where its header is
  std::int64_t listedBytes = -1;  ///< size in the list, where that lies
};

struct ZipShape {
  bool is64 = false;  ///< with zip64's end records
  std::string comment = {};
  std::int64_t countShift = 0;   ///< what the end record counts in excess
  std::int64_t offsetShift = 0;  ///< of the place of the list that the end record gives
};

/// An archive with these members, uncompressed whatever `method` says. Checksums are 0.
std::string zipFile(const std::vector<ZipMember>& members, const ZipShape& shape = {});

/// What torch.save would write: `data.pkl` with these bytes, and storages 0, 1 and so on.
std::string torchFile(std::string_view pickle, const std::vector<std::string>& storages,
                      std::string_view byteOrder = "little");

}  // namespace strata::test
