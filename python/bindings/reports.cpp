#include "python/bindings/reports.h"

#include "core/digest.h"
#include "python/bindings/errors.h"

namespace strata::python {
namespace {

nb::list textsOf(const std::vector<std::string>& texts) {
  return listOf(texts, [](const std::string& text) { return textOf(text); });
}

nb::list labelsOf(const std::vector<VersionEntry>& versions) {
  return listOf(versions, [](const VersionEntry& version) { return textOf(version.label()); });
}

nb::list pathsOf(const std::vector<std::filesystem::path>& paths) {
  return listOf(paths, [](const std::filesystem::path& path) { return pathOf(path); });
}

nb::list failuresOf(const std::vector<FailedTransfer>& failures) {
  return listOf(failures, [](const FailedTransfer& one) {
    return nb::make_tuple(textOf(one.label), textOf(one.error.message));
  });
}

const char* nameOf(AddReport::Outcome outcome) noexcept {
  switch (outcome) {
    case AddReport::Outcome::Stored:
      return "stored";
    case AddReport::Outcome::Shared:
      return "shared";
    case AddReport::Outcome::Unchanged:
      return "unchanged";
    case AddReport::Outcome::Repaired:
      return "repaired";
    case AddReport::Outcome::Completed:
      return "completed";
    case AddReport::Outcome::DryRun:
      break;
  }
  return "dry run";
}

nb::dict dictOf(const TensorDiff& tensor) {
  nb::dict dict;
  dict["name"] = textOf(tensor.name);
  dict["source"] = textOf(wordSources(tensor));
  dict["type"] = textOf(tensor.typeB);
  dict["shape"] = nb::tuple(listOf(tensor.shapeB, [](std::uint64_t n) { return nb::int_(n); }));
  dict["size"] = tensor.wordCount;
  dict["changed"] = tensor.changedWords;
  dict["new"] = tensor.newWords;
  dict["relative_change"] = tensor.hasDistance ? nb::cast(tensor.relativeChange) : nb::none();
  dict["max_abs_change"] = tensor.hasNumbers ? nb::cast(tensor.maxAbsChange) : nb::none();
  dict["comparable"] = tensor.comparable;
  return dict;
}

nb::dict dictOf(const Damage& damage) {
  nb::dict dict;
  dict["kind"] = textOf(name(damage.kind));
  dict["path"] = pathOf(damage.path);
  dict["reason"] = textOf(damage.reason);
  dict["versions"] = textsOf(damage.versions);
  return dict;
}

}  // namespace

nb::object pathOf(const std::filesystem::path& path) {
  const std::string& bytes = path.native();
  return nb::steal(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

nb::dict dictOf(const VersionEntry& version) {
  nb::dict dict;
  dict["name"] = textOf(version.name);
  dict["number"] = version.number;
  dict["hash"] = textOf(toHex(version.contentDigest));
  dict["format"] = textOf(version.format);
  dict["profile"] = textOf(version.profile);
  dict["lossy"] = version.lossy;
  dict["note"] = textOf(version.note);
  dict["tags"] = nb::tuple(textsOf(version.tags));
  dict["license"] = textOf(version.license);
  dict["source_url"] = textOf(version.sourceUrl);
  dict["added_at"] = version.addedAt;
  dict["checked_at"] = version.checkedAt;
  dict["original_bytes"] = version.originalBytes;
  dict["stored_bytes"] = version.storedBytes;
  dict["files"] = version.fileCount;
  dict["tensors"] = version.tensorCount;
  dict["depth"] = version.depth;
  dict["relative_change"] = version.hasChange() ? nb::cast(version.relativeChange) : nb::none();
  return dict;
}

nb::dict dictOf(const ListRow& row) {
  nb::dict dict = dictOf(row.version);
  dict["parent"] = textOf(row.parentLabel);
  dict["base"] = textOf(row.baseLabel);
  dict["awaited_bytes"] = row.awaited.byteCount;
  return dict;
}

nb::dict dictOf(const AddReport& report) {
  nb::dict dict;
  dict["outcome"] = nameOf(report.outcome);
  nb::dict version = dictOf(report.version);
  version["parent"] = textOf(report.parentLabel);
  version["base"] = textOf(report.baseLabel);
  dict["version"] = version;
  dict["shared_with"] = textOf(report.sharedLabel);
  dict["base_was_chosen"] = report.baseWasChosen;
  dict["better_base"] = report.misfit ? textOf(report.misfit->better) : textOf({});
  dict["repaired"] = textsOf(report.repaired);
  dict["relative_error"] = orNone(report.relativeError);
  dict["kept_exact"] = textsOf(report.keptExact);
  dict["seconds"] = report.seconds;
  return dict;
}

nb::dict dictOf(const RestoreReport& report) {
  nb::dict dict;
  dict["version"] = dictOf(report.version);
  dict["files"] = pathsOf(report.files);
  dict["backups"] = pathsOf(report.backups);
  dict["compared_sha256"] = report.comparedSha256;
  dict["written_bytes"] = report.writtenBytes;
  dict["seconds"] = report.seconds;
  return dict;
}

nb::dict dictOf(const DiffReport& report) {
  nb::dict dict;
  dict["a"] = textOf(report.labelA);
  dict["b"] = textOf(report.labelB);
  dict["identical"] = report.identical;
  dict["tensors"] = listOf(report.tensors, [](const TensorDiff& tensor) { return dictOf(tensor); });
  dict["changed_tensors"] = report.changedTensors;
  dict["equal_tensors"] = report.equalTensors;
  dict["only_in_a"] = textsOf(report.onlyInA);
  dict["only_in_b"] = textsOf(report.onlyInB);
  dict["files_changed"] = textsOf(report.filesChanged);
  dict["changed_share"] =
      report.change.isAny() ? nb::cast(report.change.changedShare()) : nb::none();
  dict["distance"] = orNone(report.change.distance);
  dict["summary"] = textOf(wordChange(report.change));
  return dict;
}

nb::dict dictOf(const VerifyReport& report) {
  nb::dict dict;
  dict["sound"] = report.sound();
  dict["versions"] = report.versionCount;
  dict["bases"] = report.baseCount;
  dict["objects"] = report.objectCount;
  dict["checked_bytes"] = report.checkedBytes;
  dict["damages"] = listOf(report.damages, [](const Damage& damage) { return dictOf(damage); });
  dict["damaged_versions"] = textsOf(report.damagedVersions);
  dict["to_add"] = listOf(report.toAdd, [](const MendingModel& one) { return textOf(one.label); });
  dict["absent_versions"] =
      listOf(report.absentVersions, [](const AbsentVersion& one) { return textOf(one.label); });
  dict["unfinished"] = textsOf(report.unfinished);
  dict["seconds"] = report.seconds;
  return dict;
}

nb::dict dictOf(const PushReport& report) {
  nb::dict dict;
  dict["pushed"] = listOf(report.pushed,
                          [](const PushReport::Item& one) { return textOf(one.version.label()); });
  dict["already_there"] = labelsOf(report.alreadyThere);
  dict["failed"] = failuresOf(report.failed);
  dict["tags_elsewhere"] = textsOf(report.tagsElsewhere);
  dict["sent_bytes"] = report.byteCount;
  return dict;
}

nb::dict dictOf(const PullReport& report) {
  nb::dict dict;
  dict["pulled"] = listOf(report.pulled,
                          [](const PullReport::Item& one) { return textOf(one.version.label()); });
  dict["completed"] = labelsOf(report.completed);
  dict["already_here"] = labelsOf(report.alreadyHere);
  dict["failed"] = failuresOf(report.failed);
  dict["tags_elsewhere"] = textsOf(report.tagsElsewhere);
  dict["problems"] = textsOf(report.problems);
  dict["fetched_bytes"] = report.byteCount;
  return dict;
}

nb::dict dictOf(const SnapshotReport& report) {
  nb::dict dict;
  dict["added"] = dictOf(report.added);
  dict["step"] = orNone(report.state.step);
  dict["kind"] = textOf(name(report.state.kind));
  dict["was_taken"] = report.wasTaken;
  dict["exact_because"] = textOf(report.exactBecause);
  dict["in_full_because"] = textOf(report.inFullBecause);
  dict["doubts"] = textsOf(report.doubts);
  return dict;
}

nb::dict dictOf(const ResumeReport& report) {
  nb::dict dict;
  if (report.isFromMemory) {
    dict["restored"] = nb::none();
  } else {
    dict["restored"] = dictOf(report.restored);
  }
  dict["path"] = pathOf(report.place);
  dict["step"] = orNone(report.state.step);
  dict["kind"] = textOf(name(report.state.kind));
  dict["passed"] = listOf(report.passed, [](const ResumeReport::Passed& one) {
    return nb::make_tuple(textOf(one.label), textOf(one.why));
  });
  dict["beside"] = listOf(report.beside, [](const RunVersion& one) { return textOf(one.shown()); });
  return dict;
}

}  // namespace strata::python
