#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/refs/operation.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// A live version gets another number of its name, with all its tags: one change of several refs
/// (core/store/refs/ref_change.h), whose `renumbered` has the refs that go.
struct NumberStep {
  std::string name;
  Digest contentDigest;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// What the refs have to become. Changes nothing. Fails with InvalidArgument if a version is not
/// what the step says, or another one has the new number, live or in the trash; CorruptData or Io
/// (a ref that cannot be read).
Result<RefChange> planRenumbering(const RefFolder& refs, const std::vector<NumberStep>& steps);

/// Those of an operation that gave versions other numbers; `back`: that take it back. Empty for any
/// other operation.
std::vector<NumberStep> numberSteps(const Operation& operation, bool back);

/// Whether `one` is under another number what `left` was, so that nothing is lost with the latter.
bool isRenumbered(const VersionRef& left, const VersionRef& one);

}  // namespace strata
