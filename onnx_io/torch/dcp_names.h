#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// What the `.metadata` of torch.distributed.checkpoint says of the files beside it: which tensor
/// begins at which byte of which file.
class DcpNames {
 public:
  /// Reads a `.metadata`, which is a pickle; nothing of it is run. One that is not understood gives
  /// no names.
  static DcpNames read(std::span<const std::byte> metadata);

  /// The tensor whose archive begins at `offset` of a file, which goes by its name in the folder;
  /// empty if that is not known. A further piece of a tensor that several ranks hold ends in "#2",
  /// "#3" and so on.
  std::string_view nameAt(std::string_view file, std::uint64_t offset) const noexcept;

 private:
  std::map<std::string, std::map<std::uint64_t, std::string>, std::less<>> names_;
};

}  // namespace strata
