#include "core/match/detail/moment_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace strata {
namespace {

struct RoleWord {
  std::string_view word;
  MomentRole role;
};

/// Words that no weight is called.
constexpr std::array kMomentWords = {
    RoleWord{"exp_avg", MomentRole::First},         RoleWord{"exp_avg_sq", MomentRole::Second},
    RoleWord{"momentum_buffer", MomentRole::First}, RoleWord{"square_avg", MomentRole::Second},
    RoleWord{"master_param", MomentRole::Master},   RoleWord{"fp32_param", MomentRole::Master}};

/// Words that mean a moment behind a part that names an optimizer.
constexpr std::array kShortWords = {
    RoleWord{"m", MomentRole::First},        RoleWord{"mu", MomentRole::First},
    RoleWord{"momentum", MomentRole::First}, RoleWord{"v", MomentRole::Second},
    RoleWord{"nu", MomentRole::Second},      RoleWord{"velocity", MomentRole::Second},
    RoleWord{"master", MomentRole::Master}};

template <std::size_t kCount>
std::optional<MomentRole> roleOf(const std::array<RoleWord, kCount>& words, std::string_view part) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const RoleWord& word) { return word.word == part; });
  if (found == words.end()) return std::nullopt;
  return found->role;
}

bool namesOptimizer(std::string_view part) { return part.starts_with("opt"); }

std::optional<std::uint64_t> numberOf(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Parts [first, last) with dots between.
std::string joined(const std::vector<std::string_view>& parts, std::size_t first,
                   std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    if (!text.empty()) text += '.';
    text += parts[i];
  }
  return text;
}

/// Where parts stand that lead to an optimizer's state: in front of what it calls a weight.
std::size_t ownerStart(const std::vector<std::string_view>& parts, std::size_t end) {
  for (std::size_t i = end; i > 0; --i) {
    if (parts[i - 1] == "state" || namesOptimizer(parts[i - 1])) return i;
  }
  return 0;
}

/// Where a part stands in a module, as modules are mostly written.
struct PartRank {
  std::string_view word;
  int rank;
};

constexpr int kUsualRank = 50;
constexpr std::array kPartRanks = {PartRank{"embeddings", 0},
                                   PartRank{"embed_tokens", 0},
                                   PartRank{"wte", 0},
                                   PartRank{"shared", 0},
                                   PartRank{"word_embeddings", 0},
                                   PartRank{"wpe", 1},
                                   PartRank{"position_embeddings", 1},
                                   PartRank{"token_type_embeddings", 2},
                                   PartRank{"ln_1", 5},
                                   PartRank{"attention", 10},
                                   PartRank{"attn", 10},
                                   PartRank{"self_attn", 10},
                                   PartRank{"self", 10},
                                   PartRank{"query", 10},
                                   PartRank{"q_proj", 10},
                                   PartRank{"q_lin", 10},
                                   PartRank{"q", 10},
                                   PartRank{"gate_proj", 10},
                                   PartRank{"weight", 10},
                                   PartRank{"kernel", 10},
                                   PartRank{"key", 20},
                                   PartRank{"k_proj", 20},
                                   PartRank{"k_lin", 20},
                                   PartRank{"k", 20},
                                   PartRank{"up_proj", 20},
                                   PartRank{"bias", 20},
                                   PartRank{"value", 30},
                                   PartRank{"v_proj", 30},
                                   PartRank{"v_lin", 30},
                                   PartRank{"v", 30},
                                   PartRank{"down_proj", 30},
                                   PartRank{"o_proj", 40},
                                   PartRank{"out_lin", 40},
                                   PartRank{"o", 40},
                                   PartRank{"ln_2", 55},
                                   PartRank{"intermediate", 60},
                                   PartRank{"mlp", 60},
                                   PartRank{"ffn", 60},
                                   PartRank{"output", 70},
                                   PartRank{"LayerNorm", 80},
                                   PartRank{"layer_norm", 80},
                                   PartRank{"input_layernorm", 80},
                                   PartRank{"post_attention_layernorm", 80},
                                   PartRank{"norm", 80},
                                   PartRank{"ln_f", 80},
                                   PartRank{"pooler", 85},
                                   PartRank{"classifier", 90},
                                   PartRank{"lm_head", 90},
                                   PartRank{"score", 90}};

int rankOf(std::string_view part) {
  const auto found = std::find_if(kPartRanks.begin(), kPartRanks.end(),
                                  [&](const PartRank& rank) { return rank.word == part; });
  return found == kPartRanks.end() ? kUsualRank : found->rank;
}

/// Negative where `a` stands before `b`, 0 where they are one.
int compareParts(std::string_view a, std::string_view b) {
  const auto left = numberOf(a);
  const auto right = numberOf(b);
  if (left && right) return *left < *right ? -1 : *left > *right ? 1 : 0;
  const int ranks = rankOf(a) - rankOf(b);
  if (ranks != 0) return ranks;
  // Else "9" < "10" < "1a" < "9".
  if (left.has_value() != right.has_value()) return left ? -1 : 1;
  return a.compare(b);
}

}  // namespace

std::vector<std::string_view> nameParts(std::string_view name) {
  std::vector<std::string_view> parts;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("./:"), name.size());
    if (end != 0) parts.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

std::optional<MomentName> momentName(std::string_view name) {
  const auto parts = nameParts(name);
  bool isInOptimizer = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto role = roleOf(kMomentWords, parts[i]);
    if (!role && isInOptimizer) role = roleOf(kShortWords, parts[i]);
    isInOptimizer = isInOptimizer || namesOptimizer(parts[i]);
    if (!role) continue;
    const bool isLast = i + 1 == parts.size();
    MomentName found{.role = *role,
                     .owner = isLast ? joined(parts, ownerStart(parts, i), i)
                                     : joined(parts, i + 1, parts.size()),
                     .number = {}};
    if (found.owner.empty()) return std::nullopt;
    found.number = numberOf(found.owner);
    return found;
  }
  return std::nullopt;
}

bool standsBefore(std::string_view a, std::string_view b) {
  const auto left = nameParts(a);
  const auto right = nameParts(b);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const int order = compareParts(left[i], right[i]);
    if (order != 0) return order < 0;
  }
  return left.size() < right.size();
}

}  // namespace strata
