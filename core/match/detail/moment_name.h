#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Parts of a tensor's name between dots, slashes and colons. They view the name.
std::vector<std::string_view> nameParts(std::string_view name);

enum class MomentRole : std::uint8_t { First, Second, Master };

/// What a name says of a tensor of an optimizer.
struct MomentName {
  MomentRole role = MomentRole::First;
  std::string owner;                    ///< what it calls its weight, parts joined by dots
  std::optional<std::uint64_t> number;  ///< where that is a number
};

/// Nothing for what is no moment.
std::optional<MomentName> momentName(std::string_view name);

/// Whether a weight of name `a` stands before one of name `b` in a model, as most models are built:
/// numbers by size, queries before keys before values, weights before biases. Files of safetensors
/// are sorted by the letters.
bool standsBefore(std::string_view a, std::string_view b);

}  // namespace strata
