#include "core/archive/write/file_hasher.h"

#include <algorithm>

namespace strata {

FileHasher::FileHasher(const ModelDescription& model)
    : digests_(model.files.size()), thread_([this, &model](const std::stop_token& stop) {
        constexpr std::uint64_t kPiece = 1 << 22;
        for (std::size_t f = 0; f < model.files.size(); ++f) {
          Sha256 hash;
          const FileBytes& bytes = model.files[f].bytes;
          for (std::uint64_t at = 0; at < bytes.size() && !stop.stop_requested(); at += kPiece) {
            bytes.forEachRun(at, std::min(at + kPiece, bytes.size()),
                             [&](std::span<const std::byte> run) { hash.update(run); });
          }
          digests_[f] = hash.finish();
        }
      }) {}

const std::vector<Digest>& FileHasher::wait() {
  if (thread_.joinable()) thread_.join();
  return digests_;
}

}  // namespace strata
