#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "core/archive/write/effort.h"
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

/// Functions about lists of models.
void bindModelLists(nb::module_& module);

using StoreClass = nb::class_<PythonStore>;

/// Throws strata.ArgumentError for a name of none.
Effort effortNamed(const std::string& name);

/// Operations on versions, on lists of models, on runs of training, with remotes, and the search
/// for settings.
void bindVersions(StoreClass& store);
void bindLists(StoreClass& store);
void bindRuns(StoreClass& store);
void bindExchange(StoreClass& store);
void bindTuning(StoreClass& store);

}  // namespace strata::python
