#pragma once

#include <string>

#include "cli/output.h"
#include "core/ops/quantize/add_quantized.h"
#include "core/ops/quantize/estimate_settings.h"
#include "core/ops/quantize/tune_model.h"

namespace strata::cli {

Json toJson(const ScoreChange& change);
Json toJson(const Trial& trial, std::uint64_t originalBytes);
/// A line for each trial as it ends.
std::string trialText(const Trial& trial, std::uint64_t originalBytes);
/// "accuracy 0.876 on 872 samples".
std::string evaluationText(const Evaluation& evaluation);

/// The frontier, what was chosen and what it scores; for --json the result event's fields.
void printTuned(Output& output, const TuneReport& report, const TuneOptions& options);
Json toJson(const TuneReport& report, const TuneOptions& options);

/// What a lossy version that was stored scores, and what of it is exact.
void printQuality(Output& output, const QuantizedAdd& done);

/// The error of its weights, and what of it is exact: a part of that. Nothing for an exact version.
void printLoss(Output& output, const AddReport& added);

/// What settings are likely to give, and how sure that is.
void printEstimate(Output& output, const EstimateReport& report, const QuantizeSettings& settings);
Json toJson(const EstimateReport& report, const QuantizeSettings& settings);

/// Why a target is not met: "nothing reached a size of at most 1.0 kB; 85.1 kB is the least that
/// was found".
std::string missedText(const TuneReport& report, const SearchTarget& target);

/// What there is to say of a search that ended early; empty for one that did not.
std::string endText(const SearchReport& search);

/// The trials as a picture: bytes over loss, the frontier as a line, the chosen one marked. SVG.
std::string frontierSvg(const TuneReport& report, const TuneOptions& options);

}  // namespace strata::cli
