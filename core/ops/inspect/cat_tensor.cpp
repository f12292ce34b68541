#include "core/ops/inspect/cat_tensor.h"

#include <algorithm>
#include <vector>

#include "core/ops/inspect/detail/chunk_bytes.h"
#include "core/ops/inspect/detail/model_view.h"
#include "core/ops/inspect/detail/tensor_lookup.h"
#include "core/progress_meter.h"
#include "core/store/objects/version_chain.h"
#include "core/text/suggest.h"

namespace strata {

Result<void> catTensor(const Store& store, const std::string& reference, const std::string& tensor,
                       ByteSink& sink, std::stop_token stop, const ProgressSink& progress) {
  STRATA_TRY(const VersionEntry version, store.resolveChecked(reference));
  auto reader = openVersion(store, version.contentDigest);
  if (!reader) return fail(reader.error().within(version.label()));
  const ModelView view(*std::move(reader));
  const auto looked = TensorLookup(view).find(tensor);
  if (!looked) return fail(looked.error().within(version.label()));
  const ViewedTensor* const found = *looked;
  ProgressMeter meter(progress, "restoring", found->byteCount);
  std::vector<std::byte> chunk;
  for (std::uint64_t at = 0; at < found->byteCount; at += kChunkBytes) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    chunk.resize(std::min(kChunkBytes, found->byteCount - at));
    if (auto read = view.read(found->file, found->offset + at, chunk); !read) {
      return fail(read.error().within(version.label()));
    }
    STRATA_TRY(sink.append(chunk));
    meter.add(chunk.size(), tensor);
  }
  meter.finish(tensor);
  return {};
}

}  // namespace strata
