// What the published lossy codecs make of a fine-tune against its base: size with everything
// counted, error, speed on one core; and the published entropy stages beside the rANS engine.
//
//   lossy_table BASE VARIANT     two models; tensors of two dimensions and more that pair by name

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/codec/lossy/lossy_codec.h"
#include "core/codec/published/bounded_codec.h"
#include "core/codec/words/cast.h"
#include "onnx_io/model_reader.h"

namespace strata {
namespace {

constexpr std::uint64_t kPartWords = std::uint64_t{1} << 22;

struct Part {
  EncodeInput input;
  ElementType type;
};

std::vector<Part> pairUp(const ModelDescription& base, const ModelDescription& variant) {
  std::vector<Part> parts;
  for (const TensorInfo& tensor : variant.tensors) {
    // A task's head often puts a prefix in front of the base's names.
    const auto found = std::ranges::find_if(base.tensors, [&](const TensorInfo& other) {
      const bool isSame = tensor.name == other.name || tensor.name.ends_with("." + other.name);
      return isSame && tensor.shape == other.shape && tensor.type == other.type;
    });
    if (found == base.tensors.end()) continue;
    const WordFormat word = wordFormat(tensor.type);
    if (tensor.shape.size() < 2 || !isQuantizable(word)) continue;
    const std::uint64_t columns = tensor.byteCount / word.bytes / tensor.shape[0];
    const std::uint64_t step = std::max<std::uint64_t>(1, kPartWords / columns);
    for (std::uint64_t row = 0; row < tensor.shape[0]; row += step) {
      const std::uint64_t rows = std::min(step, tensor.shape[0] - row);
      const std::uint64_t at = row * columns * word.bytes;
      const std::uint64_t n = rows * columns * word.bytes;
      parts.push_back({{{word, rows, columns},
                        bytesOf(variant, tensor).subspan(at, n),
                        bytesOf(base, *found).subspan(at, n)},
                       tensor.type});
    }
  }
  return parts;
}

std::vector<float> valuesOf(std::span<const std::byte> words, ElementType type) {
  std::vector<float> values(words.size() / wordFormat(type).bytes);
  castWords(type, words, ElementType::F32, std::as_writable_bytes(std::span(values)));
  return values;
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Totals {
  double original = 0;
  double stored = 0;
  double encodeSeconds = 0;
  double decodeSeconds = 0;
  double error = 0;
  double difference = 0;
};

Result<void> decodeAll(CodecId codec, const EncodeInput& input, std::span<const std::byte> payload,
                       std::span<std::byte> out) {
  STRATA_TRY(const auto decoder, openPart(codec, input.shape, payload, true, {}));
  const std::uint64_t step = decoder->blockWords() * input.shape.word.bytes;
  for (std::uint64_t at = 0, block = 0; at < out.size(); at += step, ++block) {
    const std::uint64_t n = std::min<std::uint64_t>(step, out.size() - at);
    STRATA_TRY(decoder->decodeBlock(block, input.parent.subspan(at, n), out.subspan(at, n)));
  }
  return {};
}

/// Codes one part, adds it up, and gives what it was restored to.
Result<std::vector<std::byte>> measure(CodecId codec, const Part& part,
                                       const LossySettings& settings, Totals& totals) {
  const auto start = std::chrono::steady_clock::now();
  STRATA_TRY(LossyPart coded, encodeLossy(codec, part.input, settings));
  totals.encodeSeconds += secondsSince(start);
  std::vector<std::byte> out(part.input.words.size());
  const auto middle = std::chrono::steady_clock::now();
  STRATA_TRY(decodeAll(codec, part.input, coded.payload, out));
  totals.decodeSeconds += secondsSince(middle);
  if (out != coded.restored) return fail(ErrorCode::Internal, "decodes to other words");
  totals.original += static_cast<double>(out.size());
  totals.stored += static_cast<double>(coded.payload.size());
  const auto words = valuesOf(part.input.words, part.type);
  const auto parent = valuesOf(part.input.parent, part.type);
  const auto restored = valuesOf(out, part.type);
  for (std::size_t i = 0; i < words.size(); ++i) {
    totals.error += std::pow(double{restored[i]} - words[i], 2);
    totals.difference += std::pow(double{parent[i]} - words[i], 2);
  }
  return out;
}

void print(const std::string& what, const Totals& t) {
  fmt::print("{:<44}{:>12.0f}{:>9.2f}x{:>9.3f}{:>9.0f}{:>9.0f}\n", what, t.stored,
             t.original / t.stored, std::sqrt(t.error / t.difference),
             t.original / t.encodeSeconds / 1e6, t.original / t.decodeSeconds / 1e6);
}

/// One line of the table; with `again`, the same words once more against what they were restored
/// to.
void line(const std::string& what, CodecId codec, const std::vector<Part>& parts,
          const LossySettings& settings, bool again = false) {
  Totals first;
  Totals second;
  for (const Part& part : parts) {
    const auto restored = measure(codec, part, settings, first);
    if (!restored) return fmt::print("{:<44}{}\n", what, restored.error().message);
    if (!again) continue;
    Part next = part;
    next.input.parent = *restored;
    if (const auto done = measure(codec, next, settings, second); !done) {
      return fmt::print("{:<44}{}\n", what, done.error().message);
    }
  }
  print(what, first);
  if (again) print(what + ", again", second);
}

void printTable(const std::vector<Part>& parts) {
  fmt::print("{:<44}{:>12}{:>10}{:>9}{:>9}{:>9}\n", "codec", "bytes", "ratio", "error", "enc MB/s",
             "dec MB/s");
  for (const unsigned bits : {2U, 3U, 4U}) {
    line(fmt::format("exponent, {} bits", bits), CodecId::Exponent, parts, {.bits = bits});
    line(fmt::format("huffman, {} bits", bits), CodecId::Huffman, parts, {.bits = bits});
  }
  for (const unsigned bits : {2U, 4U, 8U}) {
    line(fmt::format("rows, {} bits", bits), CodecId::Rows, parts, {.bits = bits});
  }
  line("sign", CodecId::Sign, parts, {});
  line("sign, row scales", CodecId::Sign, parts, {.rowScales = true});
  for (const double bound : {1e-4, 1e-3, 3e-3, 1e-2}) {
    line(fmt::format("bounded, {}", bound), CodecId::Bounded, parts, {.maxError = bound});
  }
  for (const unsigned levels : {4U, 16U, 32U}) {
    LossySettings settings{.levelCount = levels, .pruneShare = 0.2, .protectShare = 0.0005};
    const std::string what = fmt::format("index, {} levels, prune 0.2", levels);
    line(what + ", Huffman", CodecId::Index, parts, settings, true);
    settings.publishedEntropy = false;
    line(what + ", rANS", CodecId::Index, parts, settings, true);
  }
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: lossy_table BASE VARIANT\n", stderr);
    return 2;
  }
  const auto base = strata::openModel(argv[1]);
  const auto variant = strata::openModel(argv[2]);
  if (!base || !variant) {
    fmt::print(stderr, "{}\n", (base ? variant : base).error().message);
    return 1;
  }
  const auto parts = strata::pairUp((*base)->description(), (*variant)->description());
  if (parts.empty()) {
    std::fputs("the models have no tensors in common\n", stderr);
    return 1;
  }
  strata::printTable(parts);
  return 0;
}
