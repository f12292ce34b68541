#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// One model of a list: what to store, and under which name.
struct ListedModel {
  std::string name;
  std::string file;       ///< a path, from the current folder, or a URL
  std::string base = {};  ///< a reference, a URL, "none" or "auto"; empty: as "auto"
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

/// Fails for a URL that no model can be fetched from. Empty: a list takes none.
using UrlCheck = std::function<Result<void>(const std::string& url)>;

/// Reads lines of NAME, FILE and perhaps BASE with tabs between them, as they may lie in a file
/// called `source`. Fails as checkModelList, naming `source`, and with InvalidArgument for a line
/// of another number of fields.
Result<std::vector<ListedModel>> readModelList(std::string_view text, const std::string& source,
                                               const UrlCheck& checkUrl = {});

/// Fails with InvalidArgument, naming the line, for an empty list, for a name that no version can
/// have, for a name that stands there twice, for a file that has no name, and for a base that
/// cannot be a reference. Fails as `checkUrl` for a file or base that is a URL.
Result<void> checkModelList(const std::vector<ListedModel>& models, const UrlCheck& checkUrl = {});

/// What the base of a URL is called in a store: "bases/minilm-7c1f9e02" of
/// "s3://bucket/minilm.safetensors". All workers call it so. Parameters of the URL do not count.
std::string nameOfBase(std::string_view url);

/// The models of one worker, in their order.
std::vector<ListedModel> modelsOf(const std::vector<ListedModel>& models, const Shard& shard);

}  // namespace strata
