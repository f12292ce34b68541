#include "onnx_io/onnx/onnx_walker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "onnx_io/onnx/tensor_collector.h"
#include "onnx_io/onnx/weight_uses.h"
#include "onnx_io/onnx/wire_reader.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

constexpr int kMaxGraphDepth = 64;
constexpr std::size_t kMaxInputs = 65'536;

/// Field numbers of onnx.proto.
enum ModelField : std::uint32_t {
  kIrVersion = 1,
  kProducerName = 2,
  kProducerVersion = 3,
  kDomain = 4,
  kModelVersion = 5,
  kModelDoc = 6,
  kGraph = 7,
  kOpsetImport = 8,
  kMetadataProps = 14,
  kTrainingInfo = 20,
  kFunctions = 25,
};
enum GraphField : std::uint32_t { kGraphNode = 1, kInitializer = 5, kSparseInitializer = 15 };
enum NodeField : std::uint32_t {
  kInput = 1,
  kOutput = 2,
  kNodeName = 3,
  kOpType = 4,
  kAttribute = 5
};
enum AttributeField : std::uint32_t {
  kAttributeName = 1,
  kTensor = 5,
  kSubgraph = 6,
  kFloats = 7,
  kTensors = 10,
  kSubgraphs = 11,
  kSparseTensor = 22,
  kSparseTensors = 23,
};
enum FunctionField : std::uint32_t { kFunctionNode = 7, kFunctionAttribute = 11 };
enum TrainingField : std::uint32_t { kInitialization = 1, kAlgorithm = 2 };

/// The error of a part, with the part's name in front.
template <typename... Parts>
Result<void> inside(Result<void> result, fmt::format_string<Parts...> format, Parts&&... parts) {
  if (result) return result;
  return fail(result.error().within(fmt::format(format, std::forward<Parts>(parts)...)));
}

/// Walks one ONNX file. Recursion follows graphs only, to a bounded depth.
class OnnxWalker {
 public:
  OnnxWalker(ModelFiles& files, std::uint32_t file)
      : bytes_(files.files()[file].bytes.whole()),
        collector_(files, file, contents_),
        uses_(contents_.tensors) {}

  Result<FileContents> walk() {
    const ByteRange whole{0, bytes_.size()};
    STRATA_TRY(forEachField(bytes_, std::span(&whole, 1),
                            [&](const WireField& field) { return visitModel(field); }));
    STRATA_TRY(inside(walkGraph(graph_, 1), "graph"));
    uses_.settleHead();
    for (std::size_t index = 0; index < training_.size(); ++index) {
      STRATA_TRY(inside(walkTraining(training_[index]), "training_info {}", index));
    }
    for (std::size_t index = 0; index < functions_.size(); ++index) {
      STRATA_TRY(inside(walkFunction(functions_[index]), "function {}", index));
    }
    uses_.settleByName();
    return std::move(contents_);
  }

 private:
  Result<void> visitModel(const WireField& field) {
    if (field.type == WireType::Varint) {
      if (field.number == kIrVersion) addNumber("ir_version", field.value);
      if (field.number == kModelVersion) addNumber("model_version", field.value);
      return {};
    }
    if (field.type != WireType::Bytes) return {};
    switch (field.number) {
      case kProducerName:
        contents_.metadata.add("producer_name", text(field));
        return {};
      case kProducerVersion:
        contents_.metadata.add("producer_version", text(field));
        return {};
      case kDomain:
        contents_.metadata.add("domain", text(field));
        return {};
      case kGraph:
        return addPart(graph_, field);
      case kOpsetImport:
        return inside(visitOpset(field.payload), "opset_import");
      case kMetadataProps:
        return inside(visitMetadata(field.payload), "metadata_props");
      case kTrainingInfo:
        training_.push_back(field.payload);
        return {};
      case kFunctions:
        functions_.push_back(field.payload);
        return {};
      default:
        return {};
    }
  }

  void addNumber(std::string_view key, std::uint64_t value) {
    contents_.metadata.add(key, std::to_string(static_cast<std::int64_t>(value)));
  }

  Result<void> visitOpset(ByteRange entry) {
    std::string_view domain;
    std::uint64_t version = 0;
    STRATA_TRY(forEachField(bytes_, std::span(&entry, 1), [&](const WireField& field) {
      if (field.is(1, WireType::Bytes)) domain = text(field);
      if (field.is(2, WireType::Varint)) version = field.value;
      return Result<void>();
    }));
    contents_.metadata.add("opset_import", fmt::format("{} {}", domain.empty() ? "ai.onnx" : domain,
                                                       static_cast<std::int64_t>(version)));
    return {};
  }

  Result<void> visitMetadata(ByteRange entry) {
    std::string_view key;
    std::string_view value;
    STRATA_TRY(forEachField(bytes_, std::span(&entry, 1), [&](const WireField& field) {
      if (field.is(1, WireType::Bytes)) key = text(field);
      if (field.is(2, WireType::Bytes)) value = text(field);
      return Result<void>();
    }));
    contents_.metadata.add(key, value);
    return {};
  }

  // Two passes: nodes may stand before the initializers they use.
  Result<void> walkGraph(std::span<const ByteRange> parts, int depth) {
    if (depth > kMaxGraphDepth) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("byte {}: graphs nest deeper than {}",
                              parts.empty() ? 0 : parts.front().offset, kMaxGraphDepth));
    }
    uses_.enterGraph();
    STRATA_TRY(walkInitializers(parts));
    STRATA_TRY(walkNodes(parts, kGraphNode, depth));
    uses_.leaveGraph();
    return {};
  }

  Result<void> walkInitializers(std::span<const ByteRange> parts) {
    std::size_t denseCount = 0;
    std::size_t sparseCount = 0;
    return forEachField(bytes_, parts, [&](const WireField& field) -> Result<void> {
      const bool isDense = field.is(kInitializer, WireType::Bytes);
      if (!isDense && !field.is(kSparseInitializer, WireType::Bytes)) return {};
      const std::size_t index = isDense ? denseCount++ : sparseCount++;
      const std::string_view word = isDense ? "initializer" : "sparse_initializer";
      const auto message = std::span(&field.payload, 1);
      const auto weight =
          isDense ? collector_.addTensor(message, {}) : collector_.addSparse(message, {});
      if (!weight) {
        return fail(weight.error().within(fmt::format("{} {}", word, index)));
      }
      uses_.define(weight->name, weight->range);
      return {};
    });
  }

  Result<void> walkNodes(std::span<const ByteRange> parts, std::uint32_t nodeField, int depth) {
    std::size_t index = 0;
    return forEachField(bytes_, parts, [&](const WireField& field) -> Result<void> {
      if (!field.is(nodeField, WireType::Bytes)) return {};
      return inside(walkNode(field.payload, depth), "node {}", index++);
    });
  }

  Result<void> walkNode(ByteRange range, int depth) {
    NodeView node;
    STRATA_TRY(forEachField(bytes_, std::span(&range, 1), [&](const WireField& field) {
      if (field.type != WireType::Bytes) return Result<void>();
      if (field.number == kInput && node.inputs.size() < kMaxInputs) {
        node.inputs.push_back(text(field));
      }
      if (field.number == kOutput && node.firstOutput.empty()) node.firstOutput = text(field);
      if (field.number == kNodeName) node.name = text(field);
      if (field.number == kOpType) node.opType = text(field);
      return Result<void>();
    }));
    uses_.visitNode(node);
    std::size_t index = 0;
    return forEachField(bytes_, std::span(&range, 1), [&](const WireField& field) -> Result<void> {
      if (!field.is(kAttribute, WireType::Bytes)) return {};
      return inside(walkAttribute(field.payload, node, depth), "attribute {}", index++);
    });
  }

  /// An attribute's fields, found in one pass.
  struct Attribute {
    std::string_view name;
    MessageParts tensor;
    MessageParts sparse;
    MessageParts subgraph;
  };

  Result<void> walkAttribute(ByteRange range, const NodeView& node, int depth) {
    Attribute attribute;
    STRATA_TRY(forEachField(bytes_, std::span(&range, 1), [&](const WireField& field) {
      if (field.is(kAttributeName, WireType::Bytes)) attribute.name = text(field);
      if (field.is(kTensor, WireType::Bytes)) return addPart(attribute.tensor, field);
      if (field.is(kSparseTensor, WireType::Bytes)) return addPart(attribute.sparse, field);
      if (field.is(kSubgraph, WireType::Bytes)) return addPart(attribute.subgraph, field);
      return Result<void>();
    }));
    const bool isConstant = node.opType == "Constant";
    WeightName name{attributeName(node, attribute.name), isConstant};
    if (!attribute.tensor.empty()) {
      STRATA_TRY(defineOutput(node, collector_.addTensor(attribute.tensor, name)));
    }
    if (!attribute.sparse.empty()) {
      STRATA_TRY(defineOutput(node, collector_.addSparse(attribute.sparse, name)));
    }
    if (!attribute.subgraph.empty()) {
      STRATA_TRY(inside(walkGraph(attribute.subgraph, depth + 1), "g"));
    }
    return walkLists(range, node, std::move(name), depth);
  }

  Result<void> walkLists(ByteRange range, const NodeView& node, WeightName name, int depth) {
    const std::string stem = name.text;
    std::size_t tensorCount = 0;
    std::size_t graphCount = 0;
    std::size_t floatsCount = 0;
    return forEachField(bytes_, std::span(&range, 1), [&](const WireField& field) -> Result<void> {
      if (field.type != WireType::Bytes) return {};
      const auto parts = std::span(&field.payload, 1);
      switch (field.number) {
        case kFloats:
          name.text = ++floatsCount == 1 ? stem : fmt::format("{}#{}", stem, floatsCount);
          return defineOutput(node, collector_.addFloats(field.payload, name));
        case kTensors:
          name.text = fmt::format("{}[{}]", stem, tensorCount++);
          return inside(defineOutput(node, collector_.addTensor(parts, name)), "tensors");
        case kSparseTensors:
          name.text = fmt::format("{}[{}]", stem, tensorCount++);
          return inside(defineOutput(node, collector_.addSparse(parts, name)), "sparse_tensors");
        case kSubgraphs:
          return inside(walkGraph(parts, depth + 1), "graphs {}", graphCount++);
        default:
          return {};
      }
    });
  }

  /// What nodes call the weight of a Constant; elsewhere the attribute's place names it.
  static std::string attributeName(const NodeView& node, std::string_view attribute) {
    const std::string_view owner = !node.name.empty()          ? node.name
                                   : !node.firstOutput.empty() ? node.firstOutput
                                                               : node.opType;
    if (node.opType == "Constant" && !node.firstOutput.empty()) {
      return toUtf8(node.firstOutput, kMaxNameBytes);
    }
    return toUtf8(owner, kMaxNameBytes) + '/' + toUtf8(attribute, kMaxNameBytes);
  }

  Result<void> defineOutput(const NodeView& node, Result<FoundWeight> weight) {
    if (!weight) return fail(std::move(weight).error());
    if (node.opType == "Constant") uses_.define(node.firstOutput, weight->range);
    return {};
  }

  Result<void> walkTraining(ByteRange info) {
    MessageParts initialization;
    MessageParts algorithm;
    STRATA_TRY(forEachField(bytes_, std::span(&info, 1), [&](const WireField& field) {
      if (field.is(kInitialization, WireType::Bytes)) return addPart(initialization, field);
      if (field.is(kAlgorithm, WireType::Bytes)) return addPart(algorithm, field);
      return Result<void>();
    }));
    STRATA_TRY(inside(walkGraph(initialization, 1), "initialization"));
    return inside(walkGraph(algorithm, 1), "algorithm");
  }

  Result<void> walkFunction(ByteRange function) {
    const auto parts = std::span(&function, 1);
    uses_.enterGraph();
    STRATA_TRY(walkNodes(parts, kFunctionNode, 1));
    std::size_t index = 0;
    const NodeView defaults{"function", {}, {}, {}};
    STRATA_TRY(forEachField(bytes_, parts, [&](const WireField& field) -> Result<void> {
      if (!field.is(kFunctionAttribute, WireType::Bytes)) return {};
      return inside(walkAttribute(field.payload, defaults, 1), "attribute_proto {}", index++);
    }));
    uses_.leaveGraph();
    return {};
  }

  std::string_view text(const WireField& field) const { return textAt(bytes_, field.payload); }

  std::span<const std::byte> bytes_;
  FileContents contents_;
  TensorCollector collector_;
  WeightUses uses_;
  MessageParts graph_;
  std::vector<ByteRange> training_;
  std::vector<ByteRange> functions_;
};

/// The wire type that ONNX gives a field of ModelProto; nothing for an unknown number.
std::optional<WireType> modelFieldType(std::uint32_t number) noexcept {
  switch (number) {
    case kIrVersion:
    case kModelVersion:
      return WireType::Varint;
    case kProducerName:
    case kProducerVersion:
    case kDomain:
    case kModelDoc:
    case kGraph:
    case kOpsetImport:
    case kMetadataProps:
    case kTrainingInfo:
    case kFunctions:
      return WireType::Bytes;
    default:
      return std::nullopt;
  }
}

}  // namespace

OnnxSigns examineOnnx(std::span<const std::byte> file) {
  OnnxSigns signs;
  const ByteRange whole{0, file.size()};
  const auto walked = forEachField(file, std::span(&whole, 1), [&](const WireField& field) {
    const auto expected = modelFieldType(field.number);
    if (field.tagOffset == 0) signs.startsWithVersion = field.is(kIrVersion, WireType::Varint);
    if (expected && field.type != *expected) signs.hasForeignField = true;
    if (expected && field.type == *expected) ++signs.knownFields;
    if (field.is(kGraph, WireType::Bytes)) signs.hasGraph = true;
    return Result<void>();
  });
  if (!walked) signs.problem = walked.error();
  return signs;
}

Result<FileContents> readOnnx(ModelFiles& files, std::uint32_t file) {
  auto contents = OnnxWalker(files, file).walk();
  if (!contents) return fail(contents.error().within(files.files()[file].path));
  return contents;
}

}  // namespace strata
