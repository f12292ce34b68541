#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device/device.h"
#include "kernels/device_engine.h"

namespace strata::test {

/// How the stand-in for a GPU behaves.
struct HostEngineOptions {
  bool backwards = false;  ///< the last lane first: no body may depend on the order of lanes
  std::size_t mostInputBytes =
      ~std::size_t{0};                     ///< of one queue; more fails as a GPU's memory does
  std::size_t mostRuns = ~std::size_t{0};  ///< of all queues; later ones fail
  bool isWrong = false;             ///< a bit of every output is flipped; in decoding it is noticed
  std::size_t* runs = nullptr;      ///< counts batches and passes
  std::size_t* decoded = nullptr;   ///< counts blocks that are no copies
  std::size_t* encoded = nullptr;   ///< counts blocks
  std::size_t* searched = nullptr;  ///< counts runs whose patterns were found
  std::size_t* quantized = nullptr;  ///< counts sketches, fits and assignments of levels
};

/// Runs the bodies of the CUDA kernels on the CPU, one warp after the other and lane by lane.
/// Memory is allocated to the byte, so that address sanitizers see each access beyond it.
std::unique_ptr<kernels::DeviceEngine> hostEngine(const HostEngineOptions& options = {});

/// What a Device's opener gives.
kernels::DeviceOpening hostOpening(const HostEngineOptions& options = {});

}  // namespace strata::test
