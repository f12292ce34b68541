#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/model_source.h"
#include "onnx_io/tensor_role.h"

namespace strata {

/// A node as its graph wires it. Views point into the mapped file.
struct NodeView {
  std::string_view name;
  std::string_view opType;
  std::vector<std::string_view> inputs;
  std::string_view firstOutput;
};

/// The spans of one weight: `count` neighbours in the list of tensors.
struct WeightRange {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t rank = 0;
};

/// Finds out what each weight is for while the nodes of a graph pass by in their order: the first
/// node that uses it names its place, and its kind follows from that. Nothing of the nodes is kept.
class WeightUses {
 public:
  /// `tensors` must outlive this; kind and place are set in it.
  explicit WeightUses(std::vector<TensorInfo>& tensors) : tensors_(tensors) {}

  /// Names defined from here on hide equal names outside, until leaveGraph().
  void enterGraph();
  void leaveGraph() { scopes_.pop_back(); }

  /// `value` is the name that nodes use for this weight.
  void define(std::string_view value, WeightRange weight);
  void visitNode(const NodeView& node);

  /// After the main graph: the last linear layer is the head if only output steps follow it.
  void settleHead();
  /// After all graphs: what no node explained is classed by its name.
  void settleByName();

 private:
  std::optional<WeightRange> find(std::string_view value) const;
  void use(const TensorUse& use, WeightRange weight);

  std::vector<TensorInfo>& tensors_;
  std::vector<std::unordered_map<std::string_view, WeightRange>> scopes_;
  std::optional<WeightRange> lastLinear_;
  std::size_t nameCount_ = 0;
  std::uint64_t placeBytes_ = 0;  ///< of all places so far; past kMaxNamesBytes they lack the node
};

}  // namespace strata
