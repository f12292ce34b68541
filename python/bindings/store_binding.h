#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "python/bindings/open_store.h"

namespace strata::python {

namespace nb = nanobind;

/// A store as Python has it. Each call takes a share of it, so that close() in one thread ends
/// nothing that another one is doing.
class PythonStore {
 public:
  explicit PythonStore(SharedStore store) : store_(std::move(store)) {}

  /// Throws where it was closed, or where a forked child asks.
  SharedStore share() const;
  void close() noexcept { store_.reset(); }
  bool isClosed() const noexcept { return store_ == nullptr; }

 private:
  SharedStore store_;
};

using StoreClass = nb::class_<PythonStore>;

/// Operations on versions, on runs of training, and with remotes.
void bindVersions(StoreClass& store);
void bindRuns(StoreClass& store);
void bindExchange(StoreClass& store);

}  // namespace strata::python
