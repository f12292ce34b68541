#include "core/match/detail/name_path.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/digest.h"

namespace strata::match {
namespace {

std::uint64_t hashOf(std::string_view text) noexcept {
  return xxh3(std::as_bytes(std::span(text.data(), text.size())));
}

bool isDigits(std::string_view text) noexcept {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "onnx::MatMul_812", "Constant_12", "812": exporters hand these numbers out anew each time.
bool isNumbered(std::string_view name) noexcept {
  if (name.starts_with("onnx::") || isDigits(name)) return true;
  const std::size_t underscore = name.rfind('_');
  return underscore != std::string_view::npos && isDigits(name.substr(underscore + 1)) &&
         name.find_first_of("./") == std::string_view::npos;
}

bool isWrapper(std::uint64_t module) noexcept {
  static const auto wrappers = [] {
    constexpr std::array<std::string_view, 16> kNames{
        "bert",     "roberta",    "distilbert", "electra", "deberta",  "model",
        "module",   "base_model", "vit",        "albert",  "backbone", "transformer",
        "gpt_neox", "default",    "_orig_mod",  "mpnet"};
    std::array<std::uint64_t, kNames.size()> hashes{};
    std::transform(kNames.begin(), kNames.end(), hashes.begin(), hashOf);
    return hashes;
  }();
  return std::find(wrappers.begin(), wrappers.end(), module) != wrappers.end();
}

}  // namespace

NamePath NamePath::ofName(std::string_view name) {
  NamePath path;
  if (isNumbered(name)) {
    path.numberedName_ = hashOf(name);
    return path;
  }
  path.append(name);
  path.takeRole();
  path.dropWrappers();
  path.modules_.shrink_to_fit();  // there may be a million
  return path;
}

NamePath NamePath::ofPlace(std::string_view place) {
  NamePath path;
  const std::size_t operatorAt = place.rfind('/');
  if (operatorAt == std::string_view::npos) return path;
  path.append(place.substr(0, operatorAt));
  path.dropWrappers();
  return path;
}

void NamePath::append(std::string_view token) {
  while (!token.empty()) {
    const std::size_t end = std::min(token.find_first_of("./:"), token.size());
    if (end > 0) modules_.push_back(hashOf(token.substr(0, end)));
    token.remove_prefix(std::min(end + 1, token.size()));
  }
}

void NamePath::dropWrappers() {
  const auto kept = std::find_if_not(modules_.begin(), modules_.end(), isWrapper);
  modules_.erase(modules_.begin(), kept);
}

void NamePath::takeRole() {
  static const std::array<std::pair<std::uint64_t, Role>, 9> kRoles{{
      {hashOf("weight"), Role::Weight},
      {hashOf("kernel"), Role::Weight},
      {hashOf("gamma"), Role::Weight},
      {hashOf("scale"), Role::Weight},
      {hashOf("bias"), Role::Bias},
      {hashOf("beta"), Role::Bias},
      {hashOf("running_mean"), Role::Mean},
      {hashOf("running_var"), Role::Variance},
      {hashOf("embedding"), Role::Weight},
  }};
  if (modules_.size() < 2) return;
  for (const auto& [token, role] : kRoles) {
    if (modules_.back() != token) continue;
    role_ = role;
    modules_.pop_back();
    return;
  }
}

double NamePath::similarity(const NamePath& other) const noexcept {
  if (numberedName_ != 0 && numberedName_ == other.numberedName_) return 0.3;
  const std::size_t shorter = std::min(modules_.size(), other.modules_.size());
  const std::size_t longer = std::max(modules_.size(), other.modules_.size());
  if (shorter == 0) return 0;
  std::size_t common = 0;
  while (common < shorter && modules_.rbegin()[static_cast<std::ptrdiff_t>(common)] ==
                                 other.modules_.rbegin()[static_cast<std::ptrdiff_t>(common)]) {
    ++common;
  }
  const bool rolesDiffer =
      role_ != Role::Unknown && other.role_ != Role::Unknown && role_ != other.role_;
  const double share = static_cast<double>(common) / static_cast<double>(longer);
  if (rolesDiffer) return 0.3 * share;
  if (common == longer) return 1;
  if (common == shorter && common >= 2) return 0.9;
  return 0.5 * share;
}

std::vector<std::uint64_t> NamePath::endingKeys() const {
  if (numberedName_ != 0) return {numberedName_};
  std::vector<std::uint64_t> keys;
  keys.reserve(modules_.size());
  std::uint64_t key = 1;
  for (auto module = modules_.rbegin(); module != modules_.rend(); ++module) {
    key = (key ^ *module) * 0x9E3779B97F4A7C15ULL;
    keys.push_back(key);
  }
  return keys;
}

std::uint64_t NamePath::key() const noexcept {
  if (modules_.empty()) return 0;
  // What a graph does not say of a weight's role is that it is the module's main one.
  const Role role = role_ == Role::Unknown ? Role::Weight : role_;
  std::uint64_t key = static_cast<std::uint64_t>(role) + 1;
  for (const std::uint64_t module : modules_) key = (key ^ module) * 0x9E3779B97F4A7C15ULL;
  return key;
}

}  // namespace strata::match
