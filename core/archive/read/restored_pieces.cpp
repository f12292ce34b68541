#include "core/archive/read/restored_pieces.h"

namespace strata {

std::vector<std::uint64_t> restoredPieces(const VersionReader& reader, std::size_t file,
                                          std::uint64_t pieceBytes, std::uint64_t mostBytes) {
  std::vector<std::uint64_t> cuts;
  for (const std::uint64_t cut : reader.pieces(file, pieceBytes)) {
    while (!cuts.empty() && cut - cuts.back() > mostBytes) {
      cuts.push_back(cuts.back() + mostBytes);
    }
    cuts.push_back(cut);
  }
  return cuts;
}

}  // namespace strata
