#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/pack.h"
#include "core/archive/write/part_encoder.h"
#include "core/archive/write/part_plan.h"
#include "core/archive/write/write_options.h"
#include "core/device/device_queues.h"
#include "core/result.h"

namespace strata {

/// A part as it is stored.
struct CodedPart {
  PartPlan plan;
  EncodedPart encoded;
};

/// Codes the parts of one version, in any order and from several threads, once the small ones are
/// planned and the tables that they share are written.
class PartCoder {
 public:
  /// All must outlive the coder; `parent` may be null. `wish`: CodingOptions::codec, read.
  PartCoder(const ModelDescription& model, const VersionReader* parent,
            const CodingOptions& options, std::optional<CodecId> wish);

  /// Opens the GPU's queues, and takes the plan that is known or makes one. Fails with what
  /// planModel() fails with, and with Device.
  Result<void> open();
  /// Plans the small parts, of which there may be many. Fails with Cancelled.
  Result<void> planSmallParts(const std::stop_token& stop);
  /// The tables that small parts share, as sections of `pack`.
  Result<void> writeSharedTables(PackWriter& pack, Manifest& manifest);

  /// Part number `index` of the plan: one, or the pieces that it takes fewer bytes in. Once only.
  Result<std::vector<CodedPart>> code(std::size_t index, const std::stop_token& stop);

  const ModelPlan& plan() const noexcept { return plan_; }
  const PartEncoder& encoder() const noexcept { return encoder_; }
  /// How the part is quantized; null: not at all. What equals other words of the parent or of the
  /// model stays their copy.
  const LossyChoice* choiceOf(const PartPlan& part) const noexcept;
  /// Tensors that could not be quantized as wished, and why.
  const std::set<std::string>& keptExact() const noexcept { return keptExact_; }

  /// After the last part.
  void forgetPlan();

 private:
  /// Counts of the small parts with one alphabet, for the table that they share.
  struct SharedCounts {
    explicit SharedCounts(std::size_t alphabet) : counts(alphabet) {}

    ContextCounts counts;
    std::size_t users = 0;
  };
  Result<std::vector<CodedPart>> encodeWholeOrCut(const PartPlan& part, const SmallPlan* known,
                                                  const std::stop_token& stop);
  bool mayCut(const PartPlan& part) const;
  Result<EncodedPart> encode(const PartPlan& part, const SmallPlan* known);

  const ModelDescription& model_;
  const VersionReader* parent_;
  const CodingOptions& options_;
  DeviceQueues queues_;
  PartEncoder encoder_;
  PartEncoder quick_;  ///< with the default effort
  ModelPlan plan_;
  /// What is known of a part before it is coded: one of them for a small part, or nothing where
  /// there was no room.
  struct KnownPlan {
    std::optional<ShortPlan> plain;
    std::unique_ptr<SmallPlan> whole;
  };
  std::vector<KnownPlan> knownPlans_;  ///< of each part
  std::array<SharedCounts, 2> sharedCounts_{SharedCounts(64), SharedCounts(128)};
  SharedTableChoice shared_;
  std::mutex keptExactMutex_;  ///< guards keptExact_
  std::set<std::string> keptExact_;
};

/// Fails with Cancelled where a stop is asked for.
Result<void> checkStop(const std::stop_token& stop);

/// Bytes of all files of a model.
std::uint64_t totalBytes(const ModelDescription& model) noexcept;

/// Of a model with so many tensors that it matters: what a stage has freed goes back to the system.
void giveBackAfterMany(const ModelDescription& model) noexcept;

}  // namespace strata
