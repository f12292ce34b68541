#pragma once

#include <cstdint>

#include "core/store/store.h"

namespace strata {

/// Which transfers somebody runs: `STORE/partial/claims`, an empty file of which the byte at each
/// one's id is locked by who runs it. The lock goes with the process. Move-only.
class ClaimFile {
 public:
  enum class Access { Read, Write };
  /// Without a file, which is not made for reading, nothing is taken and nothing can be.
  static ClaimFile open(const Store& store, Access access);

  ClaimFile() = default;
  ClaimFile(ClaimFile&& other) noexcept;
  ClaimFile& operator=(ClaimFile&& other) noexcept;
  ~ClaimFile();

  bool isOpen() const noexcept { return descriptor_ >= 0; }
  /// Whether somebody else, in this process or another, holds it.
  bool isTaken(std::int64_t id) const;
  /// Takes it until this goes away; false if it is taken or the file system has no locks.
  bool take(std::int64_t id) const;
  void giveBack(std::int64_t id) const;

 private:
  explicit ClaimFile(int descriptor) noexcept : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace strata
