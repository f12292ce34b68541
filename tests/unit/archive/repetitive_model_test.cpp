// Bases whose words repeat cost no more than they do in a zstd frame of the whole file.

#include <gtest/gtest.h>
#include <zstd.h>

#include <cmath>
#include <numbers>

#include "weights.h"

namespace strata::test {
namespace {

using std::numbers::pi;

/// One half of a Fourier transform of `size` samples, a row for each frequency.
Matrix transform(int size, bool isWindowed, double (*wave)(double)) {
  Matrix matrix{static_cast<std::uint64_t>(size / 2 + 1), static_cast<std::uint64_t>(size), {}};
  for (int k = 0; k <= size / 2; ++k) {
    for (int t = 0; t < size; ++t) {
      const double window = isWindowed ? 0.5 - 0.5 * std::cos(2 * pi * t / size) : 1;
      matrix.values.push_back(static_cast<float>(window * wave(2 * pi * k * t / size)));
    }
  }
  return matrix;
}

double cosine(double x) { return std::cos(x); }
double sine(double x) { return std::sin(x); }

/// Triangles that get wider, as a mel filter bank has them.
Matrix filters(std::uint64_t rows, std::uint64_t columns) {
  Matrix matrix{rows, columns, {}};
  const auto edge = [&](double i) {
    return static_cast<double>(columns) * (std::exp2(i / static_cast<double>(rows + 1)) - 1);
  };
  for (std::uint64_t r = 0; r < rows; ++r) {
    const double low = edge(static_cast<double>(r));
    const double middle = edge(static_cast<double>(r) + 1);
    const double high = edge(static_cast<double>(r) + 2);
    for (std::uint64_t c = 0; c < columns; ++c) {
      const auto at = static_cast<double>(c);
      matrix.values.push_back(static_cast<float>(
          std::max(0.0, std::min((at - low) / (middle - low), (high - at) / (high - middle)))));
    }
  }
  return matrix;
}

/// Rows of an embedding that are there several times, in any order.
Matrix tiedRows() {
  const Matrix rows = gaussian(96, 128, 1);
  Matrix matrix{800, 128, {}};
  for (std::uint64_t r = 0; r < matrix.rows; ++r) {
    const std::uint64_t from = r * 2'654'435'761U % 997 % rows.rows;
    for (std::uint64_t c = 0; c < rows.columns; ++c) matrix.values.push_back(rows.at(from, c));
  }
  return matrix;
}

std::size_t zstdBytes(const MemoryModel& model, int level) {
  const std::string file = model.bytesOf(0);
  std::string frame(ZSTD_compressBound(file.size()), '\0');
  return ZSTD_compress(frame.data(), frame.size(), file.data(), file.size(), level);
}

void expectSmall(const MemoryModel& model) {
  const auto stored = [&](Effort effort) {
    VersionStore store;
    WriteOptions options;
    options.effort = effort;
    const WriteReport report = store.add(model, nullptr, options);
    expectRestores(*store.reader(report), model);
    return report.storedBytes;
  };
  // Digests, checksums and what the manifest says of tensors are not in a frame of the file.
  constexpr std::uint64_t kTableBytes = 600;
  const std::uint64_t usual = stored(Effort::Default);
  const std::uint64_t best = stored(Effort::Best);
  EXPECT_LE(usual, zstdBytes(model, 3) + kTableBytes);
  EXPECT_LE(best, zstdBytes(model, 19) + kTableBytes);
  EXPECT_LE(best, usual);
}

TEST(RepetitiveModel, OfOneTransformIsNoLargerThanAFrameOfIt) {
  Matrix both = transform(256, true, cosine);
  const Matrix other = transform(256, true, sine);
  both.rows += other.rows;
  both.values.insert(both.values.end(), other.values.begin(), other.values.end());
  expectSmall(*modelOf({weightOf("stft", both), weightOf("mel", filters(40, 129))}));
}

TEST(RepetitiveModel, OfTwoTransformsIsNoLargerThanAFrameOfBoth) {
  for (const bool isWindowed : {false, true}) {
    SCOPED_TRACE(isWindowed);
    expectSmall(*modelOf({weightOf("stft.real", transform(256, isWindowed, cosine)),
                          weightOf("stft.imaginary", transform(256, isWindowed, sine)),
                          weightOf("mel", filters(40, 129))}));
  }
}

TEST(RepetitiveModel, OfTiedRowsIsNoLargerThanAFrameOfIt) {
  expectSmall(*modelOf({weightOf("embedding", tiedRows()), weightOf("w", gaussian(64, 96, 2))}));
}

TEST(RepetitiveModel, OfOneWithCopiesOfWhatHasAnOwnViewIsRestored) {
  const Matrix real = transform(64, true, cosine);
  const Matrix imaginary = transform(64, true, sine);
  const auto model =
      modelOf({weightOf("a", real), weightOf("b", imaginary), weightOf("c", imaginary),
               weightOf("d", real), weightOf("e", transposed(imaginary))});
  VersionStore store;
  const WriteReport report = store.add(*model);
  expectRestores(*store.reader(report), *model);
}

TEST(RepetitiveModel, OfManyTurnedCopiesStoresTheMatrixOnce) {
  const Matrix matrix = gaussian(96, 160, 3);
  const auto twoOf = modelOf({weightOf("a", matrix), weightOf("b", transposed(matrix))});
  const auto many = modelOf({weightOf("a", matrix), weightOf("b", transposed(matrix)),
                             weightOf("c", transposed(matrix)), weightOf("d", matrix),
                             weightOf("e", transposed(matrix))});
  const auto stored = [](const MemoryModel& model) {
    VersionStore store;
    const WriteReport report = store.add(model);
    expectRestores(*store.reader(report), model);
    return report.storedBytes;
  };
  constexpr std::uint64_t kThreeMoreInTheManifest = 600;
  EXPECT_LE(stored(*many), stored(*twoOf) + kThreeMoreInTheManifest);
}

}  // namespace
}  // namespace strata::test
