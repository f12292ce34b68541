#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/archive/objects.h"
#include "core/archive/pack.h"
#include "core/archive/read/version_reader.h"
#include "core/archive/write/part_coder.h"
#include "core/archive/write/version_description.h"
#include "core/archive/write/write_options.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/progress_meter.h"
#include "core/result.h"

namespace strata {

/// What coding a version and coding a sample of it have in common: tables, headers of files and
/// parts go to a pack in this order, and a description says of all of them what they are.
class VersionCoding {
 public:
  /// `original` as VersionDescription has it. All but `stop` must outlive it; `parent` may be null.
  /// `wish`: CodingOptions::codec, read.
  VersionCoding(const ModelDescription& model, const ModelDescription& original,
                const VersionReader* parent, const CodingOptions& coding,
                const RecordOptions& record, std::optional<CodecId> wish, ObjectWriter& objects,
                std::stop_token stop, const ProgressSink& progress);

  /// Fails with InvalidArgument for paths that no manifest may say, and as PartCoder::open().
  Result<void> open();

  /// Takes each part in the order of the plan, before it is described and its payload written.
  using PartTaker = std::function<Result<void>(const PartPlan&, EncodedPart&)>;
  /// Codes all of it. Fails with Cancelled, what coding a part fails with, and what `take` says.
  Result<void> run(const PartTaker& take);

  const PartCoder& coder() const noexcept { return coder_; }
  VersionDescription& description() noexcept { return description_; }
  const VersionDescription& description() const noexcept { return description_; }

  /// After run() and the description's end: the plan goes. The table of a million tensors takes
  /// much memory on its way to its object.
  void forgetPlan();
  /// Gives the manifest the pack. Gives its bytes. Fails as PackWriter::commit().
  Result<std::uint64_t> commitPack();

 private:
  Result<void> writeSkeletons();
  Result<void> writeSkeleton(std::size_t file, ManifestFile& out);
  Result<void> writeParts(const PartTaker& take);
  Result<void> writePart(const PartPlan& part, const EncodedPart& encoded);

  const ModelDescription& model_;
  const VersionReader* parent_;
  const CodingOptions& options_;
  std::stop_token stop_;
  ProgressMeter meter_;
  PartCoder coder_;
  PackWriter pack_;
  VersionDescription description_;
};

/// `written`, or that the model changed meanwhile, which may show as any other error.
template <typename T>
Result<T> unlessChanged(const ModelSource& model, Result<T> written) {
  if (!written && written.error().code != ErrorCode::Cancelled) {
    STRATA_TRY(model.checkUnchanged());
  }
  return written;
}

}  // namespace strata
