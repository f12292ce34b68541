#include "core/archive/write/file_hasher.h"

#include <algorithm>

namespace strata {

FileHasher::FileHasher(const ModelDescription& model)
    : digests_(model.files.size()), thread_([this, &model](const std::stop_token& stop) {
        constexpr std::size_t kPiece = 1 << 22;
        for (std::size_t f = 0; f < model.files.size(); ++f) {
          Sha256 hash;
          auto rest = model.files[f].bytes;
          while (!rest.empty() && !stop.stop_requested()) {
            const auto piece = rest.first(std::min(kPiece, rest.size()));
            hash.update(piece);
            rest = rest.subspan(piece.size());
          }
          digests_[f] = hash.finish();
        }
      }) {}

const std::vector<Digest>& FileHasher::wait() {
  if (thread_.joinable()) thread_.join();
  return digests_;
}

}  // namespace strata
