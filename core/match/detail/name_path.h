#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace strata::match {

/// Similarity from which on two names are those of one weight.
inline constexpr double kNamed = 0.9;

/// A weight's name or its place in a graph as what both have in common: the modules on the way to
/// it, without the wrappers in front ("bert.", "model.", "module."), and its role there.
class NamePath {
 public:
  /// "bert.encoder.layer.0.attention.self.query.weight"
  static NamePath ofName(std::string_view name);
  /// "/encoder/layer.0/attention/self/query/MatMul:1"; the operator's own name is left out.
  static NamePath ofPlace(std::string_view place);

  /// 1: the same weight by name; 0.9: one lies inside an unknown wrapper; under 0.6: related at
  /// best; 0: nothing in common. Numbered names ("onnx::MatMul_812") are at most related.
  double similarity(const NamePath& other) const noexcept;

  /// Keys of the last module, of the last two, … and of all, whatever the role. Paths that end in
  /// the same modules share the keys of those. One for a numbered name.
  std::vector<std::uint64_t> endingKeys() const;

  /// Equal paths have equal keys. 0 for a name that tells nothing.
  std::uint64_t key() const noexcept;

 private:
  enum class Role : std::uint8_t { Unknown, Weight, Bias, Mean, Variance };

  void append(std::string_view token);
  void dropWrappers();
  void takeRole();

  std::vector<std::uint64_t> modules_;  ///< hashes, outermost first
  Role role_ = Role::Unknown;
  std::uint64_t numberedName_ = 0;  ///< hash of a name that only numbers its weight
};

}  // namespace strata::match
