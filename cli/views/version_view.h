#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "core/ops/care/unnamed_models.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/inspect/rank_bases.h"
#include "core/ops/versions/add_version.h"
#include "core/store/version_entry.h"

namespace strata::cli {

/// A stored version with all its fields, as every document shows it.
Json toJson(const VersionEntry& version);
/// The same with parent and base by name.
Json toJson(const ListRow& row);
Json toJson(const StoreTotals& totals);
Json toJson(const ListedTotals& listed);
Json toJson(const std::vector<UnnamedModel>& models);
/// "sst2:v2" of each.
Json labelsOf(const std::vector<VersionEntry>& versions);

/// "99 changed, 3 same, 2 new"; without zeros; "104" for a base.
std::string tensorCounts(const VersionEntry& version);
/// "267.8 MB -> 17.1 MB   15.7x"; "267.8 MB -> shares 17.1 MB" of one that stored nothing itself.
std::string sizeText(const VersionEntry& version, const std::optional<TakenBytes>& taken = {});
/// "17.1 MB"; of one that stored nothing itself what is its own now, else "shares 17.1 MB".
std::string storedText(const VersionEntry& version, const std::optional<TakenBytes>& taken);
/// "15.7x", by the same bytes.
std::string ratioText(const VersionEntry& version, const std::optional<TakenBytes>& taken);
/// "0.018"; "0.018 to sst2:v1" where the parent is not the base.
std::string changeText(const ListRow& row);
/// "3.1 kB instead of 3.3 kB"; to the byte where both would read alike.
std::string comparedBytes(std::uint64_t bytes, std::uint64_t other);
/// "exact" or "lossy".
std::string_view fidelity(const VersionEntry& version) noexcept;
/// "prod, lab"
std::string tagsText(const VersionEntry& version);
/// "not here, 8.1 MB to fetch"; empty for a version that can be restored at once.
std::string awaitedText(const AwaitedAmount& awaited);
/// "335.1 MB on disk for 1.33 GB of models (4.0x)"
std::string totalsText(const StoreTotals& totals);
/// "Listed: 2 versions, 34.5 MB of objects for 535.6 MB of models"
std::string listedText(const ListedTotals& listed);

/// "stored", "shared", …; what became of a model in documents.
std::string_view outcomeWord(AddReport::Outcome outcome) noexcept;

/// Prints what `import` and `add` have to say, in all modes. `bases`: the store's, for a dry run of
/// `add`, the best first; null: they were not asked for.
void printAdded(Output& output, const AddReport& report, const std::string& path,
                const std::vector<BaseCandidate>* bases = nullptr);

/// Of one that was stored: what looks like a mistake, and how it is mended.
void printDoubts(Output& output, const AddReport& report);

/// Of a version, or of settings, that would lose more than the change itself, and what helps.
std::string fartherText(double relativeError, const std::string& parentLabel);

}  // namespace strata::cli
