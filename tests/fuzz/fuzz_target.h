#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata::test {

/// A reader of bytes from outside, and what it promises whatever the bytes are.
///
/// libFuzzer calls one target millions of times in a process; the mutation tests call each a few
/// thousand times in every build. Used by one thread.
class FuzzTarget {
 public:
  virtual ~FuzzTarget() = default;

  /// Inputs to begin with. The reader takes each of them, as a rule.
  virtual std::vector<std::string> seeds() const = 0;

  /// Reads hostile bytes. Empty where all promises were kept, else what was broken.
  virtual std::string broken(std::string_view bytes) = 0;
};

struct NamedTarget {
  std::string_view name;
  std::unique_ptr<FuzzTarget> (*make)();
};

/// All of them, sorted by name.
std::span<const NamedTarget> fuzzTargets();

/// What an error tells of a reader: hostile bytes never cause one of our own program's errors.
std::string brokenBy(const Error& error);

// One for each target, in NAME_target.cpp.
std::unique_ptr<FuzzTarget> makeAnswerTarget();
std::unique_ptr<FuzzTarget> makeArchiveTarget();
std::unique_ptr<FuzzTarget> makeBundleTarget();
std::unique_ptr<FuzzTarget> makeCatalogTarget();
std::unique_ptr<FuzzTarget> makeCheckpointTarget();
std::unique_ptr<FuzzTarget> makeEvaluatorTarget();
std::unique_ptr<FuzzTarget> makeExternalTarget();
std::unique_ptr<FuzzTarget> makeFolderTarget();
std::unique_ptr<FuzzTarget> makeHubTarget();
std::unique_ptr<FuzzTarget> makeLfsTarget();
std::unique_ptr<FuzzTarget> makeManifestTarget();
std::unique_ptr<FuzzTarget> makeModelTarget();
std::unique_ptr<FuzzTarget> makeOciTarget();
std::unique_ptr<FuzzTarget> makePackTarget();
std::unique_ptr<FuzzTarget> makePayloadTarget();
std::unique_ptr<FuzzTarget> makeRefTarget();
std::unique_ptr<FuzzTarget> makeRequestTarget();
std::unique_ptr<FuzzTarget> makeS3Target();
std::unique_ptr<FuzzTarget> makeSettingsTarget();

}  // namespace strata::test
