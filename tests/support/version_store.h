#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/archive/write/version_writer.h"
#include "tests/support/memory_model.h"
#include "tests/support/memory_objects.h"

namespace strata::test {

using Reader = std::shared_ptr<const VersionReader>;

/// Restored files by path.
using Files = std::map<std::string, std::string>;

/// Versions in memory: writes them, and reads them back from nothing but the objects.
class VersionStore {
 public:
  /// Adds a version; fails the test where that fails.
  WriteReport add(const ModelSource& model, const Reader& parent = nullptr,
                  const WriteOptions& options = {});

  /// Opens a version by its manifest's digest.
  Result<Reader> open(const Digest& manifest, const Reader& parent = nullptr) const;
  /// The same; fails the test where that fails.
  Reader reader(const WriteReport& report, const Reader& parent = nullptr) const;

  MemoryObjects objects;
};

/// All files of a version, each checked against its SHA-256, as restore does.
Result<Files> restored(const VersionReader& reader);

/// The files that went in.
Files filesOf(const MemoryModel& model);

/// Whether a version gives back the model, read whole and in odd pieces.
void expectRestores(const VersionReader& reader, const MemoryModel& model);

/// Codecs of a tensor's parts: "same", "integer", "planes+integer".
std::string codecsOf(const WriteReport& report, const std::string& tensor);

}  // namespace strata::test
