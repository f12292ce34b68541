#pragma once

#include <QString>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/ops/list_versions.h"
#include "core/quantize/exact_types.h"
#include "core/store/version_entry.h"

namespace strata::gui {

/// Texts of core as Qt's, and the few wordings that the command line has no use for. Numbers are
/// worded by core/text/wording.h, so both programs show the same.

/// A text as people may see it (core/text/printable.h), with its lines.
QString text(std::string_view utf8);
/// The text itself, for what an op is asked for later, or an editor holds. Not for showing.
inline QString exactText(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString bytesText(std::uint64_t byteCount);       ///< "17.1 MB"
QString exactBytesText(std::uint64_t byteCount);  ///< "17,100,000 bytes"
QString ratioText(double ratio);
QString shareText(double share);
QString errorText(double error);
QString dateText(std::int64_t seconds);  ///< "2026-03-09 14:02"; empty for 0
/// How long ago that was: "just now", "5 min ago", "2 h ago", "3 d ago", from a month on the date.
QString agoText(std::int64_t seconds);
/// A text as a name that versions may have: what is no letter, digit, '-', '_' or '.' becomes '-'.
QString plainName(QString text);
QString hashText(const Digest& digest);          ///< the first eight digits
QString labelText(const VersionEntry& version);  ///< "sst2:v2"
/// "exact", or "lossy" with the profile's name.
QString fidelityText(const VersionEntry& version);
/// Whether a version can be restored at once: "yes", "no, 8.1 MB" with what it has to fetch.
QString hereText(const AwaitedAmount& awaited);
/// "not here, 8.1 MB to fetch"; empty for a version that can be restored at once.
QString awaitedText(const AwaitedAmount& awaited);
/// The same with the exact number and what to do about it.
QString awaitedHint(const AwaitedAmount& awaited);
/// "335.1 MB on disk for 1.33 GB of models (4.0x)", and what of it is elsewhere.
QString totalsText(const StoreTotals& totals);
/// "prod", "prod +2"; empty without tags.
QString tagsText(const std::vector<std::string>& tags);
/// "5 tensors of types that are not quantized: bool, i64"; empty where there are none.
QString exactTypesText(const ExactTypes& types);
QString joined(const std::vector<std::string>& texts, const QString& separator);

}  // namespace strata::gui
