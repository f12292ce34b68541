#include "tests/support/hostile_store.h"

#include <sys/resource.h>

#include <algorithm>
#include <random>

#include "tests/support/part_samples.h"
#include "tests/support/training_run.h"

namespace strata::test {
namespace {

constexpr std::uint64_t kMostRestored = 64 << 20;

std::string textOf(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<float> valuesFrom(const std::string& words) {
  return valuesOf(std::as_bytes(std::span(words)), ElementType::F32);
}

std::string transposed(const std::string& words, std::size_t rows, std::size_t columns) {
  std::string out;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) out += words.substr((r * columns + c) * 4, 4);
  }
  return out;
}

}  // namespace

SmallPair::SmallPair() {
  const std::string a = randomFloats(40 * 30, 1);
  const std::string b = randomFloats(50 * 20, 2);
  const std::string c = randomFloats(300, 3);
  const std::string d = randomFloats(24 * 40, 4);
  const std::string config = "{\"layers\": 3, \"heads\": 4, \"words\": 30000}\n";
  base = std::make_unique<MemoryModel>("folder");
  base->addFile("config.json", config, {});
  base->addFile("model.safetensors", "the header of the base\n",
                {{"a", ElementType::F32, {40, 30}, a},
                 {"b", ElementType::F32, {50, 20}, b},
                 {"c", ElementType::F32, {300}, c},
                 {"d", ElementType::F32, {24, 40}, d}});
  const std::string grown = tunedFloats(b, 0.5, 5) + randomFloats(3 * 20, 6);
  variant = std::make_unique<MemoryModel>("folder");
  variant->addFile("config.json", config + "{}\n", {});
  variant->addFile(
      "model.safetensors", "the header of the tuned one\n",
      {{"a", ElementType::F32, {30, 40}, transposed(tunedFloats(a, 0.5, 7), 40, 30)},
       {"b", ElementType::F32, {53, 20}, grown},
       {"c", ElementType::F32, {300}, tunedFloats(c, 0.5, 8)},
       {"d", ElementType::BF16, {24, 40}, textOf(wordsOf(valuesFrom(d), ElementType::BF16))},
       {"tied", ElementType::F32, {53, 20}, grown}});
  baseReport = store.add(*base);
  baseReader = store.reader(baseReport);
  variantReport = store.add(*variant, baseReader);
}

SteppedPair::SteppedPair(const AdamVariant& step) {
  TrainingRun run({{"body.weight", {28, 50}}, {"body.bias", {28}}});
  base = run.snapshot();
  baseReport = store.add(*base);
  baseReader = store.reader(baseReport);
  run.step(5e-5, step);
  variant = run.snapshot();
  WriteOptions options;
  options.stepGroups = run.groups();
  variantReport = store.add(*variant, baseReader, options);
}

SteppedPair::SteppedPair(std::uint64_t apart) {
  TrainingRun run({{"table.weight", {40, 48}}});
  base = run.snapshot();
  baseReport = store.add(*base);
  baseReader = store.reader(baseReport);
  run.touchOneRowIn(2 * apart);
  for (std::uint64_t i = 0; i < apart; ++i) run.step();
  variant = run.snapshot();
  WriteOptions options;
  options.stepGroups = run.groupsApart(apart);
  variantReport = store.add(*variant, baseReader, options);
}

SteppedPair::SteppedPair(ElementType rounded) {
  TrainingRun run({{"body.weight", {28, 50}}, {"body.bias", {28}}});
  base = run.mixedSnapshot(rounded);
  baseReport = store.add(*base);
  baseReader = store.reader(baseReport);
  run.step();
  variant = run.mixedSnapshot(rounded);
  variantReport = store.add(*variant, baseReader);
}

Result<Reader> VersionPair::openVariant(std::span<const std::byte> object) const {
  STRATA_TRY(Manifest manifest, parseManifest(object));
  return VersionReader::open(std::move(manifest), baseReader, store.objects);
}

void reseal(Manifest& manifest) { manifest.contentDigest = contentDigest(manifest); }

Result<Files> restoreForged(const VersionPair& pair, Manifest manifest) {
  STRATA_TRY(const std::string object, serializeManifest(manifest));
  STRATA_TRY(const Reader reader, pair.openVariant(std::as_bytes(std::span(object))));
  const bool isSmall = originalBytes(reader->manifest()) <= kMostRestored;
  if (isSmall) return restored(*reader);
  for (std::size_t f = 0; f < reader->manifest().files.size(); ++f) {
    const std::uint64_t count = reader->manifest().files[f].byteCount;
    std::vector<std::byte> out(std::min<std::uint64_t>(count, 1 << 16));
    for (const std::uint64_t at : {std::uint64_t{0}, count / 2, count}) {
      const std::uint64_t from = std::min(at, count - out.size());
      STRATA_TRY(reader->read(f, from, out));
    }
  }
  return fail(ErrorCode::LimitExceeded, "too large for a test");
}

std::uint64_t peakMemory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace strata::test
