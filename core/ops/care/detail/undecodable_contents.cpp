#include "core/ops/care/detail/undecodable_contents.h"

#include <cstddef>

#include "core/ops/detail/version_stream.h"
#include "core/progress_meter.h"
#include "core/store/objects/version_chain.h"

namespace strata {
namespace {

Result<void> decode(const Store& store, const Digest& content, const std::stop_token& stop,
                    ProgressMeter& meter, PieceDecoder& decoder) {
  STRATA_TRY(const auto reader, openVersion(store, content));
  NullSink sink;
  for (std::size_t i = 0; i < reader->manifest().files.size(); ++i) {
    STRATA_TRY(streamFile(*reader, i, sink, FileCheck::Level::Sha256, stop, meter, decoder));
  }
  return {};
}

}  // namespace

Result<std::vector<UndecodableContent>> undecodableContents(
    const Store& store, const std::map<Digest, const VersionEntry*>& contents, Device* device,
    const std::stop_token& stop, const ProgressSink& progress) {
  std::uint64_t totalBytes = 0;
  for (const auto& [content, version] : contents) totalBytes += version->originalBytes;
  STRATA_TRY(PieceDecoder decoder, PieceDecoder::make(device, totalBytes));
  ProgressMeter meter(progress, "rebuilding", totalBytes);
  std::vector<UndecodableContent> found;
  for (const auto& [content, version] : contents) {
    const Result<void> decoded = decode(store, content, stop, meter, decoder);
    if (decoded) continue;
    const ErrorCode code = decoded.error().code;
    const bool isOurs = code == ErrorCode::Cancelled || code == ErrorCode::LimitExceeded ||
                        code == ErrorCode::Device;
    if (isOurs) return fail(decoded.error());
    found.push_back({version, decoded.error().message});
  }
  return found;
}

}  // namespace strata
