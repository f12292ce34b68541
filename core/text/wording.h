#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// How both programs word numbers. SI units: 1 MB is 1,000,000 bytes. ASCII, independent of the
/// locale.

/// "0 B", "999 B", "6.1 kB", "267.8 MB", "1.33 GB".
std::string wordBytes(std::uint64_t byteCount);
/// "-0.3 MB", "+12 B", "0 B".
std::string wordBytesChange(std::int64_t byteCount);
/// "15.7x", "1.0x", "214x" from 100 on; "-" for 0 and what is no number.
std::string wordRatio(double ratio);
/// Of a share: 0.613 is "61 %", 0.0123 "1.2 %", 0.00004 "<0.1 %", 1 "100 %".
std::string wordShare(double share);
/// With sign: -0.017 is "-1.7 %".
std::string wordShareChange(double share);
/// A relative error or change: "0.018", "0", "1.2e-07", "3.4e+38".
std::string wordError(double error);
/// "0:06", "12:34", "1:02:03".
std::string wordDuration(double seconds);
/// "0.4 s", "12 s", "2 min 5 s".
std::string wordElapsed(double seconds);
/// "3.2 MB/s".
std::string wordRate(double bytesPerSecond);
/// "30522x768"; "scalar" for no dimensions.
std::string wordShape(std::span<const std::uint64_t> shape);
/// "1 tensor", "104 tensors": an English plural in s.
std::string wordCount(std::uint64_t count, std::string_view noun);
/// Local time: "2026-03-09 14:02".
std::string wordDate(std::int64_t seconds);
/// "2026-03-09T13:02:11Z", for JSON.
std::string isoDate(std::int64_t seconds);

}  // namespace strata
