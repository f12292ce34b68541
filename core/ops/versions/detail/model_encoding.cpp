#include "core/ops/versions/detail/model_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/archive/write/discarded_objects.h"
#include "core/archive/write/steps/optimizer_steps.h"
#include "core/io/free_space.h"
#include "core/match/signature.h"
#include "core/ops/versions/detail/base_misfit.h"
#include "core/ops/versions/detail/exact_bytes.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/objects/probe.h"
#include "core/store/objects/version_chain.h"

namespace strata {
namespace {

/// What a delta takes at most in most cases; a disk that is fuller than this is refused up front.
constexpr std::uint64_t kLeastFreeBytes = 16'000'000;

}  // namespace

Result<void> checkContent(const AddOptions& options, const Digest& content) {
  if (!options.expectedContent || content == *options.expectedContent) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("its content is {}, expected {}: it is damaged, or changed meanwhile",
                          shortHex(content), shortHex(*options.expectedContent)));
}

/// A parent that was found by its signature and shares nothing with the model is none. Nor is the
/// base of the name: a difference to it would save nothing, and keep it from being deleted.
Result<EncodedModel> ModelEncoding::run(const std::stop_token& stop, const ProgressSink& progress) {
  encoded_.signature = makeSignature(model_.description());
  for (;;) {
    STRATA_TRY(const ParentChoice choice, parentFor(stop, progress));
    const Result<void> encoded = encodeAgainst(choice, stop, progress);
    if (!encoded) {
      STRATA_TRY(const bool isPassedBy, passBy(choice, encoded.error(), stop, progress));
      if (!isPassedBy) return fail(encoded.error());
      continue;
    }
    if (!choice.parent || sharesWeights(encoded_.written.manifest)) {
      STRATA_TRY(finish(choice, stop, progress));
      return std::move(encoded_);
    }
    if (!choice.wasChosen) {
      STRATA_TRY(encodeUnlike(choice, stop, progress));
      return std::move(encoded_);
    }
    useless_.push_back(choice.parent->contentDigest);
  }
}

/// The newest version of a name gives way to its base, that to none. A lossy version keeps its
/// base, and the caller's is what the caller asked for.
Result<bool> ModelEncoding::passBy(const ParentChoice& choice, const Error& error,
                                   const std::stop_token& stop, const ProgressSink& progress) {
  if (!choice.parent || known_.needsRepair() || error.code != ErrorCode::CorruptData) return false;
  const bool isFound = choice.wasChosen;
  const bool needsBase = options_.quantize || options_.baseChoice == BaseChoice::Reference;
  if (!isFound && timesPassedByOwn_ == (needsBase ? 1U : 2U)) return false;
  STRATA_TRY(const bool serves, survey_.lineages().servesAsParent(*choice.parent, stop, progress));
  if (serves) return false;
  if (isFound) {
    useless_.push_back(choice.parent->contentDigest);
  } else {
    ++timesPassedByOwn_;
  }
  if (!encoded_.damagedParent.empty()) return true;
  encoded_.damagedParent = choice.parent->label();
  const auto awaited = awaitedBy(store_, *choice.parent);
  if (awaited) encoded_.parentPull = pullCommand(*awaited);
  return true;
}

/// Of a model that has next to nothing of the parent, which the caller or the name asked for.
Result<void> ModelEncoding::encodeUnlike(const ParentChoice& choice, const std::stop_token& stop,
                                         const ProgressSink& progress) {
  // That a snapshot stands on the one before it is what nobody asked for.
  const bool isChain = options_.chain == ChainPolicy::Always && !options_.anyStands;
  const bool isAskedFor = options_.baseChoice == BaseChoice::Reference || isChain;
  if (isAskedFor || options_.quantize || known_.needsRepair()) {
    return finish(choice, stop, progress);
  }
  const ParentChoice none;
  STRATA_TRY(encodeAgainst(none, stop, progress));
  encoded_.unlikeBase = choice.parent->label();
  return finish(none, stop, progress);
}

Result<WriteOptions> ModelEncoding::writeOptions() {
  const bool isBaseNamed = options_.baseChoice == BaseChoice::Reference;
  WriteOptions out;
  if (options_.quantize) {
    STRATA_TRY(quantizer_,
               Quantizer::open(model_, parent_, options_.gradients, options_.memoryBytes, nullptr,
                               Effort::Default, isBaseNamed));
    STRATA_TRY(out, quantizer_->writeOptions(*options_.quantize));
    out.lossySettings = options_.quantizeText;
    out.quality = options_.quality;
    out.qualityOf = options_.qualityOf;
  }
  out.isBaseNamed = isBaseNamed;
  out.effort = options_.effort;
  out.profile = options_.profile;
  out.codec = options_.codec;
  out.memoryBytes = options_.memoryBytes;
  out.device = options_.device;
  if (parent_ && options_.stepsFrom) {
    out.stepGroups = options_.stepsFrom(*parent_);
  } else if (parent_ && !options_.quantize) {
    STRATA_TRY(out.stepGroups, optimizerSteps(model_.description(), *parent_));
  }
  return out;
}

Result<void> ModelEncoding::encodeAgainst(const ParentChoice& choice, const std::stop_token& stop,
                                          const ProgressSink& progress) {
  encoded_.baseWasChosen = choice.wasChosen && !known_.needsRepair();
  encoded_.parentContent.reset();
  parent_.reset();
  if (choice.parent) {
    encoded_.parentContent = choice.parent->contentDigest;
    auto opened = openVersion(store_, *encoded_.parentContent);
    if (!opened) return fail(opened.error().within(choice.parent->label()));
    parent_ = *std::move(opened);
  }
  STRATA_TRY(checkSpace(choice.parent.has_value()));
  STRATA_TRY(const WriteOptions options, writeOptions());
  if (!options_.dryRun) {
    STRATA_TRY(encoded_.staged, StagedObjects::make(store_.folder()));
  }
  DiscardedObjects discarded;
  ObjectWriter& objects =
      encoded_.staged ? static_cast<ObjectWriter&>(*encoded_.staged) : discarded;
  // Who quantizes compares with the parent once more; else it goes when its words are not needed.
  auto parent = options_.quantize ? parent_ : std::move(parent_);
  STRATA_TRY(encoded_.written,
             writeVersion(model_, std::move(parent), options, objects, stop, progress));
  return checkContent(options_, encoded_.written.contentDigest);
}

Result<void> ModelEncoding::finish(const ParentChoice& choice, const std::stop_token& stop,
                                   const ProgressSink& progress) {
  if (options_.accept) STRATA_TRY(options_.accept(encoded_.written.storedBytes));
  if (choice.parent && options_.baseChoice == BaseChoice::Reference) {
    STRATA_TRY(encoded_.misfit,
               misfitOf(store_, model_, encoded_.written.manifest, *choice.parent));
  }
  if (!options_.compareExact || !options_.quantize) return {};
  const std::uint64_t mostBytes = std::max(encoded_.written.storedBytes, options_.exactWithin);
  STRATA_TRY(encoded_.exactBytes,
             exactBytesWithin(model_, std::move(parent_), options_, mostBytes, stop, progress));
  return {};
}

/// A damaged base becomes a base again. What is repaired gets no damaged parent.
Result<ParentChoice> ModelEncoding::parentFor(const std::stop_token& stop,
                                              const ProgressSink& progress) {
  if (known_.hasDamagedBase && options_.baseChoice == BaseChoice::Auto) return ParentChoice{};
  if (!known_.needsRepair()) return soundFor();
  if (options_.baseChoice == BaseChoice::Auto) {
    STRATA_TRY(auto former, survey_.awaitedParent(store_.catalog(), known_, stop, progress));
    if (former) return ParentChoice{.parent = std::move(former)};
  }
  AddOptions options = options_;
  std::optional<VersionEntry> refused;
  for (const ChainPolicy chain : {options_.chain, ChainPolicy::Never}) {
    options.chain = chain;
    STRATA_TRY(ParentChoice choice,
               chooseParent(store_.catalog(), options, encoded_.signature, content_, useless_));
    if (!choice.parent) return choice;
    STRATA_TRY(const bool serves,
               survey_.lineages().servesAsParent(*choice.parent, stop, progress));
    if (serves) return choice;
    refused = std::move(choice.parent);
  }
  const bool isNamed = options_.baseChoice == BaseChoice::Reference;
  if (isNamed && refused) STRATA_TRY(checkIsHere(store_, *refused));
  return ParentChoice{};
}

/// Of what is stored nowhere: what was passed by is left out.
Result<ParentChoice> ModelEncoding::soundFor() const {
  AddOptions options = options_;
  if (timesPassedByOwn_ > 0) options.chain = ChainPolicy::Never;
  STRATA_TRY(ParentChoice choice,
             chooseParent(store_.catalog(), options, encoded_.signature, std::nullopt, useless_));
  return choice.wasChosen || timesPassedByOwn_ < 2 ? std::move(choice) : ParentChoice{};
}

Result<void> ModelEncoding::checkSpace(bool hasParent) const {
  if (options_.dryRun) return {};
  const std::uint64_t bytes = originalBytes(model_.description());
  return checkFreeSpace(store_.folder(), hasParent ? std::min(bytes, kLeastFreeBytes) : bytes / 2);
}

}  // namespace strata
