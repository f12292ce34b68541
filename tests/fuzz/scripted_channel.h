#pragma once

#include <string>
#include <string_view>

namespace strata::test {

/// What servers answer to the hub's HTTP client, in place of a network: programs that link this
/// have no other hub::Channel.
///
/// An answer is a status, header lines and an empty line, then the body: "404\nLink: <x>\n\ntext".
/// kNextAnswer stands between two answers. Behind the last one every line breaks.
inline constexpr char kNextAnswer = '\x1e';

/// From here on, `answers` are given in their order. Credentials may go to `origin` alone, as in
/// "https://hub.example"; empty: anywhere.
void scriptAnswers(std::string_view answers, std::string_view origin);

/// The first URL elsewhere that got credentials since then; empty if none did.
std::string leakedTo();

}  // namespace strata::test
