#pragma once

#include <nanobind/nanobind.h>

#include "core/ops/care/verify_store.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/inspect/diff_models.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/runs/resume_run.h"
#include "core/ops/runs/take_snapshot.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/restore_version.h"

namespace strata::python {

namespace nb = nanobind;

/// Reports as dicts, with the fields of the dataclasses in strata/_reports.py.
nb::dict dictOf(const VersionEntry& version);
nb::dict dictOf(const ListRow& row);
nb::dict dictOf(const AddReport& report);
nb::dict dictOf(const RestoreReport& report);
nb::dict dictOf(const DiffReport& report);
nb::dict dictOf(const VerifyReport& report);
nb::dict dictOf(const PushReport& report);
nb::dict dictOf(const PullReport& report);
nb::dict dictOf(const SnapshotReport& report);
nb::dict dictOf(const ResumeReport& report);

/// A list with what `convert` makes of each item.
template <typename Items, typename Convert>
nb::list listOf(const Items& items, Convert convert) {
  nb::list list;
  for (const auto& item : items) list.append(convert(item));
  return list;
}

/// A path as Python spells it.
nb::object pathOf(const std::filesystem::path& path);
/// A number, or None.
template <typename T>
nb::object orNone(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::none();
}

}  // namespace strata::python
