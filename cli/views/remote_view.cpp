#include "cli/views/remote_view.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

Json scoresJson(const RemoteVersion& version) {
  Json rows = Json::array();
  for (const RemoteScore& one : version.scores) {
    rows.push_back({{"data", one.data},
                    {"metric", one.metric},
                    {"reference", one.reference},
                    {"score", one.score},
                    {"samples", one.samples}});
  }
  return rows;
}

void printField(Output& output, std::string_view name, const std::string& value) {
  if (!value.empty()) output.line(printable(fmt::format("  {:<9} {}", name, value)));
}

}  // namespace

Json toJson(const RemoteVersion& version, const std::vector<std::string>& tags) {
  return {{"ref", version.ref.label()},
          {"hash", toHex(version.ref.contentDigest)},
          {"original_bytes", version.originalBytes},
          {"stored_bytes", version.ref.storedBytes},
          {"lossy", version.lossy},
          {"quality", scoresJson(version)},
          {"tags", tags},
          {"note", orNull(version.ref.note)}};
}

Json basesJson(const std::vector<BaseElsewhere>& bases) {
  Json list = Json::array();
  for (const BaseElsewhere& base : bases) {
    list.push_back({{"name", base.name},
                    {"url", base.url},
                    {"hash", toHex(base.contentDigest)},
                    {"bytes", base.byteCount}});
  }
  return list;
}

void printElsewhere(Output& output, const std::vector<BaseElsewhere>& bases) {
  for (const BaseElsewhere& base : bases) {
    output.line(printable("A pull fetches the base " + placeText(base)));
  }
}

void printOnRemote(Output& output, const RemoteFinding& found, const std::string& word) {
  const RemoteVersion& version = found.version;
  Json document = toJson(version, found.tags);
  document["parent"] = found.parentLabel.empty() ? Json() : Json(found.parentLabel);
  const bool isElsewhere = found.parentLabel.empty() && version.base.has_value();
  document["parent_elsewhere"] = isElsewhere ? basesJson({*version.base}).front() : Json();
  document["here"] = found.labelsHere;
  document["fetch_bytes"] = found.fetchBytes;
  document["asked"] = isoDate(found.askedAt);
  output.document(std::move(document));
  output.essential(toHex(version.ref.contentDigest));
  output.line(printable(fmt::format("{}/{}  {}", word.substr(0, word.find('/')),
                                    version.ref.label(), toHex(version.ref.contentDigest))));
  printField(output, "size",
             fmt::format("{} -> {}", wordBytes(version.originalBytes),
                         wordBytes(version.ref.storedBytes)));
  printField(output, "parent",
             !version.parentDigest ? "none: it is a base"
             : isElsewhere         ? placeText(*version.base)
             : found.parentLabel.empty()
                 ? "@" + shortHex(*version.parentDigest) + ", which is not there"
                 : found.parentLabel);
  printField(output, "fidelity", version.lossy ? "lossy" : "exact");
  printField(output, "scores", scoresText(version));
  printField(output, "tags", fmt::format("{}", fmt::join(found.tags, ", ")));
  printField(output, "added", wordDate(version.ref.addedAt));
  printField(output, "note", version.ref.note);
  printField(output, "license", version.ref.license);
  printField(output, "source", version.ref.sourceUrl);
  printField(output, "here",
             found.labelsHere.empty() ? "no; a pull fetches " + wordBytes(found.fetchBytes)
                                      : fmt::format("{}", fmt::join(found.labelsHere, ", ")));
  printField(output, "listed", wordDate(found.askedAt));
  if (output.isText() && found.labelsHere.empty()) output.advice("Next: strata pull " + word);
}

}  // namespace strata::cli
