#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/archive/layout.h"
#include "core/archive/read/gather_cache.h"
#include "core/archive/read/shared_cache.h"
#include "core/codec/codec.h"

namespace strata {

/// What a part is predicted from. An awkward view that is a part's only source is gathered once for
/// all of its blocks; those of parts with several sources are gathered block by block.
struct OpenSource {
  PartView view;
  GatherCache::Words group = {};             ///< what `gathered` lies in
  std::span<const std::byte> gathered = {};  ///< all of its words, or empty
};

/// A part that is ready to be decoded: its tables built, its sources opened.
struct OpenPart {
  ElementType type = ElementType::Bytes;
  PartShape shape;
  CodecId codec = CodecId::Same;
  std::unique_ptr<PartDecoder> decoder;  ///< null for codec `same`
  std::optional<PackSection> section;    ///< what the decoder reads
  std::vector<OpenSource> sources;       ///< empty: it has no view

  /// Whether the words of its only source are gathered for all of its blocks at once.
  bool gathersAtOnce() const {
    return sources.size() == 1 && !isContiguous(sources[0].view, shape);
  }

  std::mutex mutex;  ///< guards the two below
  std::uint64_t cachedBlock = ~std::uint64_t{0};
  std::vector<std::byte> cached;  ///< the last block of which only some words were asked for
};

/// The parts that were opened last, by tensor and number, so that reading a tensor in pieces opens
/// each part once.
using PartCache = SharedCache<std::uint64_t, OpenPart>;

/// Blocks that were decoded last, by part and number. Those that several others are predicted from
/// are decoded once for all of them.
using BlockCache =
    SharedCache<std::pair<std::uint64_t, std::uint64_t>, const std::vector<std::byte>>;
using KeptBlock = std::shared_ptr<const std::vector<std::byte>>;

}  // namespace strata
