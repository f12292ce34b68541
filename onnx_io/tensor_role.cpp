#include "onnx_io/tensor_role.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>

namespace strata {
namespace {

using Words = std::initializer_list<std::string_view>;

/// Names longer than this are cut before they are searched.
constexpr std::size_t kSearchedBytes = 512;

std::string lowered(std::string_view name) {
  std::string out(name.substr(0, kSearchedBytes));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return out;
}

bool isOneOf(std::string_view text, Words words) noexcept {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool containsAny(std::string_view text, Words words) noexcept {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// Whether a part between '/', '.' or ':' is one of `words`.
bool hasPart(std::string_view text, Words words) noexcept {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("/.:"), text.size());
    if (isOneOf(text.substr(0, end), words)) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool namesNorm(std::string_view text) noexcept {
  return containsAny(text, {"norm", "batch_norm"}) ||
         hasPart(text, {"ln", "bn", "ln_f", "ln_1", "ln_2", "bn1", "bn2", "bn3", "running_mean",
                        "running_var"});
}

bool namesHead(std::string_view text) noexcept {
  return containsAny(text, {"classifier", "lm_head"}) ||
         hasPart(text, {"score", "scores", "head", "classification_head", "output_layer", "fc"});
}

bool namesAttention(std::string_view text) noexcept {
  return containsAny(text, {"attention", "attn", "q_proj", "k_proj", "v_proj", "o_proj", "qkv"}) ||
         hasPart(text, {"query", "key", "value"});
}

bool namesEmbedding(std::string_view text) noexcept {
  return containsAny(text, {"embed"}) || hasPart(text, {"wte", "wpe"});
}

TensorKind linearKind(std::string_view names) noexcept {
  if (namesAttention(names)) return TensorKind::Attention;
  return namesHead(names) ? TensorKind::Head : TensorKind::Linear;
}

bool isNormOp(std::string_view op) noexcept {
  return isOneOf(op, {"LayerNormalization", "BatchNormalization", "InstanceNormalization",
                      "GroupNormalization", "RMSNormalization", "SkipLayerNormalization",
                      "SimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization",
                      "GroupNorm", "SkipGroupNorm", "LpNormalization"});
}

bool isMatrixOp(std::string_view op) noexcept {
  return isOneOf(op, {"MatMul", "Gemm", "MatMulInteger", "QLinearMatMul", "FusedMatMul",
                      "FusedGemm", "MatMulNBits", "MatMulIntegerToFloat", "DynamicQuantizeMatMul",
                      "LSTM", "GRU", "RNN", "Einsum"});
}

bool isConvolutionOp(std::string_view op) noexcept {
  return isOneOf(op, {"Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "FusedConv",
                      "DeformConv", "NhwcConv"});
}

bool isAttentionOp(std::string_view op) noexcept {
  return isOneOf(op, {"Attention", "QAttention", "MultiHeadAttention", "DecoderAttention",
                      "GroupQueryAttention", "PackedAttention"});
}

std::string_view lastPart(std::string_view name) noexcept {
  const std::size_t dot = name.find_last_of("./");
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

/// Whether no weight is called so.
bool namesMoment(std::string_view last) noexcept {
  return isOneOf(last, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "exp_avg_sq_row",
                        "exp_avg_sq_col", "exp_inf", "momentum_buffer", "square_avg"});
}

/// Whether a name leads through a part such as "optim" or "optimizer_0" and one that is "state".
bool leadsThroughOptimizer(std::string_view name) noexcept {
  bool isInOptimizer = false;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("./"), name.size());
    const std::string_view part = name.substr(0, end);
    if (isInOptimizer && part == "state") return true;
    isInOptimizer = isInOptimizer || part.starts_with("optim");
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

TensorKind matrixOrBias(TensorKind matrix, std::size_t rank) noexcept {
  if (rank >= 2) return matrix;
  return rank == 1 ? TensorKind::Bias : TensorKind::Unknown;
}

}  // namespace

bool isPassThrough(std::string_view opType) noexcept {
  return isOneOf(opType, {"Identity", "Transpose", "Cast", "DequantizeLinear", "QuantizeLinear"});
}

bool isOutputTail(std::string_view opType) noexcept {
  return isOneOf(opType, {"Add", "Softmax", "LogSoftmax", "Sigmoid", "Identity", "Cast", "Reshape",
                          "Squeeze", "Flatten", "ArgMax", "TopK", "Constant", "ZipMap",
                          "QuantizeLinear", "DequantizeLinear", "Clip"});
}

TensorKind kindFromUse(const TensorUse& use, std::string_view name, std::size_t rank) noexcept {
  const std::string_view op = use.opType;
  const std::string names = lowered(use.nodeName) + '/' + lowered(name);
  if (isNormOp(op)) return use.slot > 0 ? TensorKind::Norm : TensorKind::Unknown;
  if (op == "Gather" || op == "GatherBlockQuantized") {
    return use.slot == 0 && rank >= 2 ? TensorKind::Embedding : TensorKind::Unknown;
  }
  if (op == "EmbedLayerNormalization") {
    return rank >= 2 ? TensorKind::Embedding : TensorKind::Norm;
  }
  if (isAttentionOp(op)) return matrixOrBias(TensorKind::Attention, rank);
  if (isConvolutionOp(op)) return matrixOrBias(TensorKind::Convolution, rank);
  if (isMatrixOp(op)) return matrixOrBias(linearKind(names), rank);
  if (rank == 1 && isOneOf(op, {"Add", "Sub", "Mul", "Div"})) {
    if (namesNorm(names)) return TensorKind::Norm;
    if (op == "Add") return TensorKind::Bias;
  }
  return TensorKind::Unknown;
}

TensorKind kindFromName(std::string_view name, std::size_t rank) noexcept {
  const std::string text = lowered(name);
  if (rank == 0) return TensorKind::Unknown;
  if (rank == 1) {
    if (namesNorm(text)) return TensorKind::Norm;
    return text.ends_with("bias") ? TensorKind::Bias : TensorKind::Unknown;
  }
  if (namesEmbedding(text)) return TensorKind::Embedding;
  if (rank >= 3) {
    const bool isConvolution = rank >= 4 || containsAny(text, {"conv"});
    if (isConvolution && text.ends_with("weight")) return TensorKind::Convolution;
    return TensorKind::Unknown;
  }
  if (namesAttention(text)) return TensorKind::Attention;
  if (namesHead(text)) return TensorKind::Head;
  return text.ends_with("weight") || text.ends_with("kernel") ? TensorKind::Linear
                                                              : TensorKind::Unknown;
}

TensorKind kindOfOptimizerState(std::string_view name) noexcept {
  const std::string_view last = lastPart(name);
  if (isOneOf(last, {"exp_avg", "momentum_buffer", "grad_avg"})) return TensorKind::FirstMoment;
  if (isOneOf(last, {"exp_avg_sq", "square_avg", "sum"})) return TensorKind::SecondMoment;
  // The weight's own name may follow.
  const std::string_view searched = name.substr(0, kSearchedBytes);
  if (hasPart(searched, {"exp_avg", "momentum_buffer", "mu"})) return TensorKind::FirstMoment;
  const bool isSecond = hasPart(searched, {"exp_avg_sq", "square_avg", "nu"});
  return isSecond ? TensorKind::SecondMoment : TensorKind::OptimizerState;
}

TensorKind kindOfStored(std::string_view name, ElementType type, std::size_t rank) noexcept {
  const std::string_view searched = name.substr(0, kSearchedBytes);
  const bool isBehindMoment =
      hasPart(searched, {"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "momentum_buffer"});
  if (namesMoment(lastPart(name)) || isBehindMoment || leadsThroughOptimizer(searched)) {
    return kindOfOptimizerState(name);
  }
  const bool isFloat = type != ElementType::Bytes && wordFormat(type).isFloat;
  return isFloat ? kindFromName(name, rank) : TensorKind::Unknown;
}

}  // namespace strata
