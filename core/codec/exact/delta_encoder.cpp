#include "core/codec/exact/delta_codec.h"
#include "core/codec/exact/delta_planner.h"

namespace strata {
namespace {

/// Blocks of several sources are the smallest, which bounds what a reader holds of each.
unsigned blockLog2For(const EncodeInput& input, const DeltaPlan& plan) {
  if (plan.predictor.sourceCount() > 1) return kMinBlockLog2;
  const auto words = static_cast<double>(std::max<std::uint64_t>(1, input.shape.wordCount()));
  return goodBlockLog2(plan.estimatedBits / words);
}

/// The payload of a plan; the encoder's words have lost their zero bits.
template <typename Word>
std::vector<std::byte> payloadOf(const EncodeInput& input, const DeltaPlan& plan,
                                 const DeltaSource<Word>& source, const TableSet* shared,
                                 std::uint32_t sharedIndex) {
  const DeltaWords<Word> plain(input.shape, plan.shift, plan.codec == CodecId::Xor);
  const PredictedWords<Word> predicted(plain, plan.predictor, source.parent(), source.further());
  const TableSet& tables = shared == nullptr ? plan.tables : *shared;
  ByteWriter out;
  const unsigned flags = (plan.terms.rows.empty() ? 0U : 1U) |
                         (plan.terms.columns.empty() ? 0U : 2U) | (shared == nullptr ? 0U : 4U);
  out.byte(static_cast<std::uint8_t>(flags));
  out.byte(static_cast<std::uint8_t>(plan.shift));
  writePredictor(out, plan.predictor);
  writeTerms(out, plan.terms);
  if (shared != nullptr) {
    out.varint(sharedIndex);
  } else {
    writeTableSet(out, tables);
  }
  const unsigned blockLog2 = blockLog2For(input, plan);
  BlockIndexWriter index(blockLog2);
  if (!source.encode(plan, tables, predicted, input.words, index, blockLog2)) {
    // The tables come from a sample, which lacked a symbol, or from a device that miscounts.
    DeltaPlan counted = plan;
    counted.counts = source.countOnCpu(plan.codec, plan.terms, predicted, {});
    counted.tables = buildTableSet(counted.counts);
    return payloadOf(input, counted, source, nullptr, 0);
  }
  index.write(out);
  return out.take();
}

template <typename Word>
std::vector<std::byte> encodeWords(const EncodeInput& input, const DeltaPlan& plan,
                                   const TableSet* shared, std::uint32_t sharedIndex) {
  DeltaSource<Word> source(input, plan.shift, nullptr);
  source.dropShift();
  return payloadOf(input, plan, source, shared, sharedIndex);
}

template <typename Word>
PlannedDelta planAndEncodeWords(const EncodeInput& input, const DeltaEffort& effort,
                                std::optional<CodecId> wish, DeviceEncoder* device) {
  DeltaPlanner<Word> planner(input, effort, wish, device);
  PlannedDelta out;
  out.plan = planner.run();
  out.payload = payloadOf(input, out.plan, planner.source(), nullptr, 0);
  return out;
}

template <typename Word>
ContextCounts countWords(const EncodeInput& input, const DeltaPlan& plan) {
  DeltaSource<Word> source(input, plan.shift, nullptr);
  source.dropShift();
  const DeltaWords<Word> plain(input.shape, plan.shift, plan.codec == CodecId::Xor);
  const PredictedWords<Word> predicted(plain, plan.predictor, source.parent(), source.further());
  return source.countOnCpu(plan.codec, plan.terms, predicted, {});
}

}  // namespace

ContextCounts countDelta(const EncodeInput& input, const DeltaPlan& plan) {
  return input.shape.word.bytes == 4 ? countWords<std::uint32_t>(input, plan)
                                     : countWords<std::uint16_t>(input, plan);
}

PlannedDelta encodeReplay(const EncodeInput& input, const DeltaEffort& effort,
                          std::optional<CodecId> wish, Predictor predictor) {
  DeltaPlanner<std::uint32_t> planner(input, effort, wish, nullptr);
  PlannedDelta out;
  out.plan = planner.runWith(std::move(predictor));
  out.payload = payloadOf(input, out.plan, planner.source(), nullptr, 0);
  return out;
}

DeltaPlan planDelta(const EncodeInput& input, const DeltaEffort& effort,
                    std::optional<CodecId> wish) {
  if (input.shape.word.bytes == 4) {
    return DeltaPlanner<std::uint32_t>(input, effort, wish, nullptr).run();
  }
  return DeltaPlanner<std::uint16_t>(input, effort, wish, nullptr).run();
}

PlannedDelta planAndEncodeDelta(const EncodeInput& input, const DeltaEffort& effort,
                                std::optional<CodecId> wish, DeviceEncoder* device) {
  if (input.shape.word.bytes == 4) {
    return planAndEncodeWords<std::uint32_t>(input, effort, wish, device);
  }
  return planAndEncodeWords<std::uint16_t>(input, effort, wish, device);
}

std::vector<std::byte> encodeDelta(const EncodeInput& input, const DeltaPlan& plan,
                                   const TableSet* shared, std::uint32_t sharedIndex) {
  if (input.shape.word.bytes == 4) {
    return encodeWords<std::uint32_t>(input, plan, shared, sharedIndex);
  }
  return encodeWords<std::uint16_t>(input, plan, shared, sharedIndex);
}

}  // namespace strata
