#pragma once

#include <array>
#include <cstdint>

namespace strata::test {

/// A warp as the bodies of kernels/cuda see it, run by one CPU thread: what each lane does between
/// two exchanges is done for one lane after the other, from either end.
struct HostWarp {
  static constexpr unsigned kLanes = 32;

  template <typename T>
  struct Of {
    std::array<T, kLanes> values;
    T& operator[](unsigned lane) { return values[lane]; }
    const T& operator[](unsigned lane) const { return values[lane]; }
  };

  bool backwards = false;

  template <typename F>
  void each(F&& f) const {
    for (unsigned i = 0; i < kLanes; ++i) f(backwards ? kLanes - 1 - i : i);
  }
  template <typename F>
  std::uint32_t ballot(F&& f) const {
    std::uint32_t lanes = 0;
    each([&](unsigned lane) { lanes |= std::uint32_t{f(lane)} << lane; });
    return lanes;
  }
  template <typename T>
  Of<T> exchanged(const Of<T>& v, unsigned distance) const {
    Of<T> out;
    for (unsigned lane = 0; lane < kLanes; ++lane) out[lane] = v[lane ^ distance];
    return out;
  }
  void increment(std::uint32_t& number) const { ++number; }
  template <typename T>
  T first(const Of<T>& v) const {
    return v[0];
  }
};

}  // namespace strata::test
