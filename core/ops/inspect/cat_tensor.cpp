#include "core/ops/inspect/cat_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/ops/inspect/detail/chunk_bytes.h"
#include "core/ops/inspect/detail/model_view.h"
#include "core/progress_meter.h"
#include "core/store/objects/version_chain.h"
#include "core/text/suggest.h"

namespace strata {
namespace {

Result<ViewedTensor> findTensor(const ModelView& view, const std::string& name) {
  std::vector<std::string> known;
  std::vector<const ViewedTensor*> found;
  for (const ViewedTensor& tensor : view.tensors()) {
    known.push_back(tensor.name);
    if (tensor.name == name) found.push_back(&tensor);
  }
  if (found.empty()) {
    return fail(ErrorCode::NotFound, fmt::format("none of its {} tensors is called {}{}",
                                                 known.size(), name, didYouMean(name, known)));
  }
  if (found.size() > 1) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{} of its tensors are called {}, the first in {}, the last in {}",
                            found.size(), name, view.files()[found.front()->file].path,
                            view.files()[found.back()->file].path));
  }
  return *found.front();
}

}  // namespace

Result<void> catTensor(const Store& store, const std::string& reference, const std::string& tensor,
                       ByteSink& sink, std::stop_token stop, const ProgressSink& progress) {
  STRATA_TRY(const VersionEntry version, store.resolveChecked(reference));
  auto reader = openVersion(store, version.contentDigest);
  if (!reader) return fail(reader.error().within(version.label()));
  const ModelView view(*std::move(reader));
  const auto found = findTensor(view, tensor);
  if (!found) return fail(found.error().within(version.label()));
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
