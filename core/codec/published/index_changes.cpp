#include "core/codec/published/index_changes.h"

#include <algorithm>
#include <map>

namespace strata {
namespace {

/// Counts of run symbols: values are not positive, lengths above 1.
class SymbolCounts {
 public:
  void add(std::int32_t symbol) {
    if (symbol > -256 && symbol < 256) {
      ++near_[static_cast<std::size_t>(symbol + 255)];
    } else {
      ++far_[symbol];
    }
  }

  PrefixCode code() const {
    std::vector<CodeSymbol> symbols;
    std::vector<std::uint32_t> counts;
    const auto take = [&](std::int32_t symbol, std::uint32_t count) {
      if (count == 0) return;
      symbols.push_back({symbol, 0});
      counts.push_back(count);
    };
    for (std::int32_t s = -255; s < 256; ++s) take(s, near_[static_cast<std::size_t>(s + 255)]);
    for (const auto& [symbol, count] : far_) take(symbol, count);
    const auto lengths = huffmanLengths(counts);
    for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i].length = lengths[i];
    return PrefixCode::make(std::move(symbols)).value_or(PrefixCode{});
  }

 private:
  std::vector<std::uint32_t> near_ = std::vector<std::uint32_t>(511);
  std::map<std::int32_t, std::uint32_t> far_;
};

template <typename Take>
void forEachRunSymbol(std::span<const std::uint8_t> changes, Take&& take) {
  for (std::size_t i = 0; i < changes.size();) {
    std::size_t end = i + 1;
    while (end < changes.size() && changes[end] == changes[i]) ++end;
    take(-static_cast<std::int32_t>(changes[i]));
    if (end - i > 1) take(static_cast<std::int32_t>(end - i));
    i = end;
  }
}

bool decodeRuns(const PrefixCode& code, CodeReader& reader, unsigned bins,
                std::span<std::uint8_t> out) {
  if (!out.empty() && code.isEmpty()) return false;
  bool mayRun = false;
  for (std::size_t i = 0; i < out.size();) {
    const std::int32_t symbol = reader.take(code);
    if (symbol <= 0) {
      if (symbol <= -static_cast<std::int32_t>(bins)) return false;
      out[i++] = static_cast<std::uint8_t>(-symbol);
      mayRun = true;
      continue;
    }
    const auto length = static_cast<std::size_t>(symbol);
    if (!mayRun || length < 2 || length - 1 > out.size() - i) return false;
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(i), length - 1, out[i - 1]);
    i += length - 1;
    mayRun = false;
  }
  return true;
}

}  // namespace

GroupedChanges emptyGroups(std::span<const std::uint8_t> previous, unsigned groupCount) {
  GroupedChanges groups{std::vector<std::uint8_t>(previous.size()),
                        std::vector<std::size_t>(groupCount)};
  for (const std::uint8_t index : previous) ++groups.ends[index];
  for (std::size_t g = 1; g < groupCount; ++g) groups.ends[g] += groups.ends[g - 1];
  return groups;
}

namespace {

std::vector<std::size_t> startsOf(const GroupedChanges& groups) {
  std::vector<std::size_t> starts{0};
  starts.insert(starts.end(), groups.ends.begin(), groups.ends.end());
  return starts;
}

}  // namespace

GroupedChanges groupChanges(std::span<const std::uint8_t> previous,
                            std::span<const std::uint8_t> current, unsigned bins,
                            unsigned groupCount) {
  GroupedChanges groups = emptyGroups(previous, groupCount);
  std::vector<std::size_t> next = startsOf(groups);
  for (std::size_t i = 0; i < previous.size(); ++i) {
    const int change = previous[i] - current[i];
    groups.changes[next[previous[i]]++] =
        static_cast<std::uint8_t>(change < 0 ? change + static_cast<int>(bins) : change);
  }
  return groups;
}

void ungroupChanges(const GroupedChanges& groups, std::span<const std::uint8_t> previous,
                    unsigned bins, std::uint8_t* current) {
  std::vector<std::size_t> next = startsOf(groups);
  for (std::size_t i = 0; i < previous.size(); ++i) {
    const int index = previous[i] - groups.changes[next[previous[i]]++];
    current[i] = static_cast<std::uint8_t>(index < 0 ? index + static_cast<int>(bins) : index);
  }
}

RunCodes RunCodes::fit(std::span<const GroupedChanges> blocks, unsigned groupCount) {
  RunCodes codes;
  for (unsigned g = 0; g < groupCount; ++g) {
    SymbolCounts counts;
    for (const GroupedChanges& block : blocks) {
      forEachRunSymbol(block.group(g), [&](std::int32_t symbol) { counts.add(symbol); });
    }
    codes.codes_.push_back(counts.code());
  }
  return codes;
}

std::optional<RunCodes> RunCodes::read(ByteReader& in, unsigned groupCount) {
  RunCodes codes;
  for (unsigned g = 0; g < groupCount; ++g) {
    auto code = PrefixCode::read(in);
    if (!code) return std::nullopt;
    codes.codes_.push_back(std::move(*code));
  }
  return codes;
}

void RunCodes::write(ByteWriter& out) const {
  for (const PrefixCode& code : codes_) code.write(out);
}

void RunCodes::encode(const GroupedChanges& groups, std::vector<std::byte>& out) const {
  CodeWriter writer(out);
  for (std::size_t g = 0; g < codes_.size(); ++g) {
    forEachRunSymbol(groups.group(g), [&](std::int32_t symbol) { writer.put(codes_[g], symbol); });
  }
  writer.finish();
}

bool RunCodes::decode(std::span<const std::byte> bytes, unsigned bins,
                      GroupedChanges& groups) const {
  CodeReader reader(bytes);
  for (std::size_t g = 0; g < codes_.size(); ++g) {
    if (!decodeRuns(codes_[g], reader, bins, groups.group(g))) return false;
  }
  return reader.endedClean();
}

RansCodes::RansCodes(std::vector<FrequencyTable> tables)
    : tables_(std::move(tables)), slots_(decoderTable(tables_)) {}

RansCodes RansCodes::fit(std::span<const GroupedChanges> blocks, unsigned groupCount,
                         unsigned bins) {
  std::vector<FrequencyTable> tables;
  for (unsigned g = 0; g < groupCount; ++g) {
    std::vector<std::uint32_t> counts(bins);
    for (const GroupedChanges& block : blocks) {
      for (const std::uint8_t change : block.group(g)) ++counts[change];
    }
    tables.push_back(normalise(counts));
  }
  return RansCodes(std::move(tables));
}

std::optional<RansCodes> RansCodes::read(ByteReader& in, unsigned groupCount, unsigned bins) {
  auto tables = readTables(in, groupCount, bins);
  if (!tables) return std::nullopt;
  return RansCodes(std::move(*tables));
}

void RansCodes::write(ByteWriter& out) const { writeTables(out, tables_); }

std::optional<std::uint8_t> RansCodes::loneSymbol(const FrequencyTable& table) {
  const auto found = std::find(table.begin(), table.end(), kernels::kProbabilityScale);
  if (found == table.end()) return std::nullopt;
  return static_cast<std::uint8_t>(found - table.begin());
}

void RansCodes::encode(const GroupedChanges& groups, std::vector<std::byte>& out) const {
  RansScratch scratch;
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    const auto changes = groups.group(g);
    if (changes.empty() || loneSymbol(tables_[g])) continue;
    std::vector<std::byte> stream;
    appendSymbolStream(encoderTable({&tables_[g], 1}), changes, lanesFor(changes.size()), scratch,
                       stream);
    ByteWriter sized;
    sized.varint(stream.size());
    out.insert(out.end(), sized.view().begin(), sized.view().end());
    out.insert(out.end(), stream.begin(), stream.end());
  }
}

bool RansCodes::decode(std::span<const std::byte> bytes, unsigned, GroupedChanges& groups) const {
  ByteReader in(bytes);
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    const auto changes = groups.group(g);
    if (changes.empty()) continue;
    const FrequencyTable& table = tables_[g];
    if (std::all_of(table.begin(), table.end(), [](auto f) { return f == 0; })) return false;
    if (const auto lone = loneSymbol(table)) {
      std::fill(changes.begin(), changes.end(), *lone);
      continue;
    }
    const auto stream = in.bytes(in.varint());
    auto decoder = openRansStream(stream, lanesFor(changes.size()));
    if (in.failed() || !decoder) return false;
    kernels::bestKernels().decodeSymbols(*decoder, slots_.data() + g * kernels::kProbabilityScale,
                                         changes.size(), changes.data());
    if (!endedClean(*decoder)) return false;
  }
  return in.rest().empty();
}

}  // namespace strata
