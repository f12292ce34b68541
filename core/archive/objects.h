#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/digest.h"
#include "core/io/mapped_file.h"
#include "core/result.h"

namespace strata {

/// Gives the immutable objects of a store: packs and manifests, by the SHA-256 of their bytes.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  /// Maps one object; its digest is not checked here. Safe to call from any thread.
  /// Fails with NotFound, naming the digest.
  virtual Result<MappedFile> openObject(const Digest& digest) const = 0;
};

/// An object being written: a temporary file that is hashed as it grows. Discarded unless
/// committed.
class NewObject {
 public:
  virtual ~NewObject() = default;
  /// Fails with NoSpace or Io.
  virtual Result<void> append(std::span<const std::byte> bytes) = 0;
  virtual std::uint64_t byteCount() const noexcept = 0;
  /// Nothing is appended any more. Gives back what an open object takes, so that many can wait for
  /// their commit. Fails with NoSpace or Io.
  virtual Result<void> close() { return {}; }
  /// Syncs the file and renames it to the place its digest names.
  virtual Result<Digest> commit() = 0;
};

/// Takes new objects.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual Result<std::unique_ptr<NewObject>> createObject() = 0;
};

}  // namespace strata
