#include "core/store/parity/parity_code.h"

#include <isa-l/erasure_code.h>

#include <array>
#include <cassert>
#include <charconv>

namespace strata {
namespace {

/// Bytes of ISA-L's table for one coefficient.
constexpr std::size_t kTableBytes = 32;

unsigned char* raw(std::byte* bytes) noexcept { return reinterpret_cast<unsigned char*>(bytes); }

/// Tables of a matrix of `rows` rows for `columns` sources.
std::vector<unsigned char> tablesOf(std::vector<unsigned char>& matrix, std::size_t rows,
                                    std::size_t columns) {
  std::vector<unsigned char> tables(kTableBytes * rows * columns);
  ec_init_tables(static_cast<int>(columns), static_cast<int>(rows), matrix.data(), tables.data());
  return tables;
}

}  // namespace

bool isRatio(const ParityRatio& ratio) noexcept {
  return ratio.shards >= 1 && ratio.shards <= kMostShards && ratio.columns > ratio.shards &&
         ratio.columns <= kMostColumns;
}

std::optional<ParityRatio> parseRatio(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  ParityRatio ratio;
  const auto shards = std::from_chars(text.data(), end, ratio.shards);
  if (shards.ec != std::errc{} || shards.ptr == end || *shards.ptr != '/') return std::nullopt;
  const auto columns = std::from_chars(shards.ptr + 1, end, ratio.columns);
  if (columns.ec != std::errc{} || columns.ptr != end || !isRatio(ratio)) return std::nullopt;
  return ratio;
}

ParityCode::ParityCode(ParityRatio ratio) : ratio_(ratio) {
  assert(isRatio(ratio));
  matrix_.reserve(std::size_t{ratio.shards} * ratio.columns);
  for (std::size_t shard = 0; shard < ratio.shards; ++shard) {
    for (std::size_t column = 0; column < ratio.columns; ++column) {
      // Cauchy's matrix: each square part of it can be inverted.
      const auto sum = static_cast<unsigned char>((ratio.columns + shard) ^ column);
      matrix_.push_back(gf_inv(sum));
    }
  }
  tables_ = tablesOf(matrix_, ratio.shards, ratio.columns);
}

std::uint8_t ParityCode::coefficient(std::size_t shard, std::size_t column) const noexcept {
  return matrix_[shard * ratio_.columns + column];
}

void ParityCode::add(std::size_t column, std::span<const std::byte> bytes,
                     std::span<std::vector<std::byte>> shards) const {
  assert(shards.size() == ratio_.shards && column < ratio_.columns);
  if (bytes.empty()) return;
  std::array<unsigned char*, kMostShards> sums{};
  for (std::size_t i = 0; i < shards.size(); ++i) {
    assert(shards[i].size() >= bytes.size());
    sums[i] = raw(shards[i].data());
  }
  // ISA-L reads what it takes as writable.
  ec_encode_data_update(static_cast<int>(bytes.size()), ratio_.columns, ratio_.shards,
                        static_cast<int>(column), const_cast<unsigned char*>(tables_.data()),
                        raw(const_cast<std::byte*>(bytes.data())), sums.data());
}

ParityDecoder::ParityDecoder(const ParityCode& code, std::span<const std::size_t> shards,
                             std::span<const std::size_t> lost)
    : count_(lost.size()) {
  assert(shards.size() == lost.size() && count_ >= 1 && count_ <= kMostShards);
  std::vector<unsigned char> part;
  for (const std::size_t shard : shards) {
    for (const std::size_t column : lost) part.push_back(code.coefficient(shard, column));
  }
  std::vector<unsigned char> inverse(part.size());
  [[maybe_unused]] const int status =
      gf_invert_matrix(part.data(), inverse.data(), static_cast<int>(count_));
  assert(status == 0);
  tables_ = tablesOf(inverse, count_, count_);
}

void ParityDecoder::solve(std::span<std::vector<std::byte>> sums,
                          std::span<std::vector<std::byte>> found) const {
  assert(sums.size() == count_ && found.size() == count_);
  std::array<unsigned char*, kMostShards> from{};
  std::array<unsigned char*, kMostShards> to{};
  for (std::size_t i = 0; i < count_; ++i) {
    from[i] = raw(sums[i].data());
    to[i] = raw(found[i].data());
  }
  const auto count = static_cast<int>(count_);
  if (sums[0].empty()) return;
  ec_encode_data(static_cast<int>(sums[0].size()), count, count,
                 const_cast<unsigned char*>(tables_.data()), from.data(), to.data());
}

}  // namespace strata
