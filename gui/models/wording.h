#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/ops/inspect/list_versions.h"
#include "core/quantize/exact_types.h"
#include "core/store/version_entry.h"

namespace strata::gui {

/// Texts of core as Qt's, and the few wordings that the command line has no use for. Numbers are
/// worded by core/text/wording.h, so both programs show the same, but for the decimal point: it is
/// that of the window's language.

/// A text as people may see it (core/text/printable.h), with its lines.
QString text(std::string_view utf8);
/// The text itself, for what an op is asked for later, or an editor holds. Not for showing.
inline QString exactText(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// A text of core with numbers: what stands between two digits becomes the language's decimal
/// point.
QString numberText(std::string_view words);
QString decimalText(double value, int digits);  ///< "0.03" with two digits
QString shortNumberText(double value);          ///< three digits: "0.0312", "1.2e-05"
/// What was typed as a number, with the language's decimal point or the usual one, as core reads
/// it.
QString plainNumber(QString typed);
QString bytesText(std::uint64_t byteCount);       ///< "17.1 MB"
QString exactBytesText(std::uint64_t byteCount);  ///< "17,100,000 bytes"
QString ratioText(double ratio);
QString shareText(double share);
QString errorText(double error);
QString changeText(const VersionEntry& version);  ///< wordChangeOf()
QString dateText(std::int64_t seconds);           ///< "2026-03-09 14:02"; empty for 0
/// How long ago that was: "just now", "5 min ago", "2 h ago", "3 d ago", from a month on the date.
QString agoText(std::int64_t seconds);
/// A text as a name that versions may have: what is no letter, digit, '-', '_' or '.' becomes '-'.
QString plainName(QString text);
/// What was typed as a place of versions as a URL: a folder may be named by its path alone.
QString remoteUrl(const QString& typed);
QString hashText(const Digest& digest);          ///< the first eight digits
QString labelText(const VersionEntry& version);  ///< "sst2:v2"
/// "exact", or "lossy" with the profile's name.
QString fidelityText(const VersionEntry& version);
/// What a version stored; of one whose objects others stored (ListRow::taken) "shares 17.1 MB", and
/// no ratio.
QString storedText(const VersionEntry& version, const std::optional<TakenBytes>& taken);
QString storedRatioText(const VersionEntry& version, const std::optional<TakenBytes>& taken);
/// Whether a version can be restored at once: "yes", "no, 8.1 MB" with what it has to fetch.
QString hereText(const AwaitedAmount& awaited);
/// "not here, 8.1 MB to fetch"; empty for a version that can be restored at once.
QString awaitedText(const AwaitedAmount& awaited);
/// The same with the exact number and what to do about it.
QString awaitedHint(const AwaitedAmount& awaited);
/// When a version was last found sound, or damaged at `damagedAt`, which is 0 for others.
QString verifiedText(const VersionEntry& version, std::int64_t damagedAt);
QString verifiedHint(const VersionEntry& version, std::int64_t damagedAt);
/// What to do about a damaged version.
QString damagedHint();
/// "335.1 MB on disk for 1.33 GB of models (4.0x)", and what of it is elsewhere.
QString totalsText(const StoreTotals& totals);
/// "prod", "prod +2"; empty without tags.
QString tagsText(const std::vector<std::string>& tags);
/// "5 tensors of types that are not quantized: bool, i64"; empty where there are none.
QString exactTypesText(const ExactTypes& types);
QString joined(const std::vector<std::string>& texts, const QString& separator);

}  // namespace strata::gui
