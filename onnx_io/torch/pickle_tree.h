#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace strata {

/// What a value of a pickle is.
enum class PickleKind : std::uint8_t {
  None,
  Bool,
  Integer,
  Real,
  Text,
  Bytes,
  Tuple,
  List,
  Set,
  Map,
  Name,    ///< a class or function of a module, which is not looked up
  Object,  ///< what calling `callee` with `args` would make; nothing is called
  Stored,  ///< what lies outside of the pickle, under the id `args`
  Other,   ///< anything else: numbers over 64 bits, values of an extension
};

/// Numbers of values in their tree.
using PickleId = std::uint32_t;
inline constexpr PickleId kNoPickleId = std::numeric_limits<PickleId>::max();

struct PickleValue {
  PickleKind kind = PickleKind::None;
  bool hasPairs = false;          ///< `items` are keys and values by turns: a Map, or an Object
  PickleId callee = kNoPickleId;  ///< of an Object; the module of a Name
  PickleId args = kNoPickleId;    ///< of an Object or Stored; of a Name what it is called there
  PickleId state = kNoPickleId;   ///< of an Object: what it is filled with
  std::int64_t integer = 0;       ///< of an Integer or Bool; the bits of a Real
  std::string_view text;          ///< of Text and Bytes; views the file
  std::vector<PickleId> items;    ///< of a Tuple, List, Set or Map, and what an Object was given

  double real() const noexcept { return std::bit_cast<double>(integer); }
};

/// A pickle as a graph of values. Values may be shared and may hold themselves: who walks it marks
/// where it was.
class PickleTree {
 public:
  const PickleValue& operator[](PickleId id) const noexcept { return values_[id]; }
  PickleId root() const noexcept { return root_; }
  std::size_t size() const noexcept { return values_.size(); }

  bool is(PickleId id, PickleKind kind) const noexcept {
    return id < values_.size() && values_[id].kind == kind;
  }
  /// The text of a value; empty if it is none.
  std::string_view text(PickleId id) const noexcept;
  /// The number that an Integer, Bool or Real is.
  std::optional<double> number(PickleId id) const noexcept;
  /// An Integer that is not below 0.
  std::optional<std::uint64_t> count(PickleId id) const noexcept;
  /// An element of a Tuple or List; kNoPickleId where there is none.
  PickleId element(PickleId id, std::size_t index) const noexcept;
  /// What a Map, or an Object made of pairs, holds under a text; kNoPickleId where there is none
  /// among its first 128 pairs.
  PickleId member(PickleId id, std::string_view key) const noexcept;
  /// What an Object is filled with, or else holds, under a text.
  PickleId attribute(PickleId id, std::string_view key) const noexcept;
  /// What a Name is called in its module, and that module; empty for what is no Name.
  std::string_view nameOf(PickleId id) const noexcept;
  std::string_view moduleOf(PickleId id) const noexcept;

 private:
  friend class PickleStack;
  std::vector<PickleValue> values_;
  PickleId root_ = kNoPickleId;
};

}  // namespace strata
