#include "core/ops/versions/detail/exact_bytes.h"

#include <utility>

#include "core/archive/write/discarded_objects.h"
#include "core/archive/write/version_writer.h"

namespace strata {

Result<std::optional<std::uint64_t>> exactBytesWithin(const ModelSource& model,
                                                      std::shared_ptr<const VersionReader> parent,
                                                      const AddOptions& options,
                                                      std::uint64_t mostBytes,
                                                      const std::stop_token& stop,
                                                      const ProgressSink& progress) {
  WriteOptions exact;
  exact.effort = options.effort;
  exact.memoryBytes = options.memoryBytes;
  exact.device = options.device;
  DiscardedObjects objects(mostBytes);
  const auto written = writeVersion(model, std::move(parent), exact, objects, stop, progress);
  if (written) return written->storedBytes;
  if (written.error().code == ErrorCode::LimitExceeded) return std::nullopt;
  return fail(written.error());
}

}  // namespace strata
