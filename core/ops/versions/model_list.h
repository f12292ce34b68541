#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// One model of a list: what to store, and under which name.
struct ListedModel {
  std::string name;
  std::string file;       ///< a path, from the current folder
  std::string base = {};  ///< a reference, "none" or "auto"; empty: as "auto"
  std::size_t line = 0;   ///< where the list has it, from 1
};

/// Which lines of a list one of several workers takes: those whose place in the list, counted from
/// 0, leaves `index` when it is divided by `count`.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

/// Reads "0/4". Fails with InvalidArgument unless the first number is less than the second.
Result<Shard> parseShard(std::string_view text);

/// Reads lines of NAME, FILE and perhaps BASE with tabs between them, as they may lie in a file
/// called `source`. Fails as checkModelList, naming `source`, and with InvalidArgument for a line
/// of another number of fields.
Result<std::vector<ListedModel>> readModelList(std::string_view text, const std::string& source);

/// Fails with InvalidArgument, naming the line, for an empty list, for a name that no version can
/// have, for a name that stands there twice, for a file that is a URL or has no name, and for a
/// base that cannot be a reference.
Result<void> checkModelList(const std::vector<ListedModel>& models);

/// The models of one worker, in their order.
std::vector<ListedModel> modelsOf(const std::vector<ListedModel>& models, const Shard& shard);

}  // namespace strata
