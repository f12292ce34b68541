#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "python/bindings/open_store.h"

namespace strata::python {

namespace nb = nanobind;

/// A version that is open for reading; keeps its store open, too.
class OpenedReader {
 public:
  /// Throws.
  OpenedReader(SharedStore store, const std::string& reference);

  /// Throws where a forked child asks.
  const OpenedVersion& version() const;
  Device* device() const;
  const Store& store() const;

 private:
  SharedStore store_;  // outlives the version
  std::unique_ptr<OwnedByProcess<OpenedVersion>> version_;
};

void bindOpened(nb::module_& module);

/// Throws strata.ForkError about something that the parent process opened.
[[noreturn]] void throwForked();

}  // namespace strata::python
