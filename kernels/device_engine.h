#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/cpu_kernels.h"
#include "kernels/shared_code.h"

namespace strata::kernels {

/// What stands in the way of a device doing the work.
enum class DeviceFault : std::uint8_t {
  None,
  NotBuilt,     ///< this program was built without CUDA
  NoDriver,     ///< no driver is installed, or one older than the program needs
  NoDevice,     ///< a driver, but no GPU
  TooOld,       ///< compute capability below kLeastCapability
  Busy,         ///< another process has it for itself
  OutOfMemory,  ///< of the device, or pinned memory of the host
  Failed,       ///< anything else
  Wrong,        ///< it came to another result than the CPU
};

/// Ten times the compute capability that the kernels are compiled for.
inline constexpr int kLeastCapability = 80;

/// How a block's words are coded on a device.
enum class DeviceCoding : std::uint8_t { Copy, Delta, Planes, Levels, Patterns };

enum class PlaneSource : std::uint8_t { Constant = 0, Raw = 1, Coded = 2 };
enum class PlaneMeaning : std::uint8_t { Words = 0, Difference = 1, Xor = 2 };

/// Offsets in a batch's input where an array may be missing.
inline constexpr std::uint64_t kNoArray = ~std::uint64_t{0};

/// How the symbols of differences and levels find their tables. Numbers named `…At` are, here and
/// below, offsets of arrays in the batch's input, aligned for what they hold.
struct DeviceSymbols {
  std::uint64_t tablesAt = kNoArray;   ///< u32, 2^11 entries per table, as for decodeDeltas
  std::uint64_t mapAt = kNoArray;      ///< u8, 64 contexts to tables
  std::uint64_t rowsAt = kNoArray;     ///< i32 per row, kDeviceDeadRow where nothing changed
  std::uint64_t columnsAt = kNoArray;  ///< i16 per column
  std::int32_t allRows = 0;            ///< term of every row without `rowsAt`
};

struct DeviceDifference {
  DeltaFormat format{};
  bool hasExponents = false;  ///< contexts look at exponents of `format.mantissaBits`
  std::uint32_t shift = 0;
  std::uint64_t paletteAt = kNoArray;  ///< u8 per row: 0, or 1 + the number of its decay factor
  std::uint64_t decaysAt = kNoArray;   ///< f32
};

/// A term of low rank, added to the parent's words or to the values of levels.
struct DeviceFactors {
  std::uint32_t rank = 0;              ///< 0: no term
  bool isWide = false;                 ///< i32 factors and 64-bit sums in place of i16 and 32
  std::uint64_t rowsAt = kNoArray;     ///< rank per row, row after row
  std::uint64_t columnsAt = kNoArray;  ///< one run of all columns per component
  double scale = 0;                    ///< a power of two
};

struct DeviceLevels {
  std::uint64_t valuesAt = kNoArray;  ///< f32, of levels -most … most
  std::int32_t most = 0;
  bool isUniform = false;
  float step = 0;
};

struct DevicePatterns {
  std::uint32_t length = 0;
  std::uint32_t basesLog2 = 0;
  float amplitude = 0;
};

struct DevicePlanes {
  PlaneMeaning meaning = PlaneMeaning::Words;
  PlaneSource sources[8] = {};
  std::uint8_t constants[8] = {};
  std::uint64_t tablesAt[8] = {};  ///< u32, 2^11 entries
};

/// What all blocks of a part share. `coding` says which of the last six count: `symbols` of Delta
/// and Levels, `difference` of Delta, `factors` of all but Copy and Planes. Codecs are described in
/// docs/FORMAT.md.
struct DevicePart {
  DeviceCoding coding = DeviceCoding::Copy;
  std::uint8_t wordBytes = 1;
  bool isFloat = false;
  bool isSigned = false;
  bool hasParent = false;           ///< the output holds the parent's words before
  FloatKind kind = FloatKind::F32;  ///< of levels, patterns and predictors
  std::uint32_t columns = 1;
  DeviceSymbols symbols;
  DeviceDifference difference;
  DeviceFactors factors;
  DeviceLevels levels;
  DevicePatterns patterns;
  DevicePlanes planes;
};

inline constexpr std::int32_t kDeviceDeadRow = INT32_MIN;

/// One block: the work of one warp. Reads its payload, and the parent's words where its own go.
struct DeviceBlock {
  std::uint32_t part = 0;      ///< number of its DevicePart
  std::uint32_t checksum = 0;  ///< the low 32 bits of XXH3 that its words must have; not of a Copy
  std::uint64_t payloadAt = 0;
  std::uint32_t payloadBytes = 0;
  std::uint32_t firstWord = 0;  ///< of the part
  std::uint32_t wordCount = 0;
  std::uint64_t outputAt = 0;  ///< in bytes; need not be aligned
};

/// What became of a block.
enum class BlockState : std::uint32_t { Good = 0, BadStream = 1, BadChecksum = 2 };

/// Least bytes of a block that a device can check: shorter ones have another checksum.
inline constexpr std::size_t kLeastDeviceBytes = 241;

/// The hash's constants in the order in which the checksum of a block takes them.
struct ChecksumKeys {
  std::uint64_t start[8];
  std::uint64_t stripes[24];
  std::uint64_t last[8];
  std::uint64_t merge[8];
};
const ChecksumKeys& checksumKeys() noexcept;

/// A run of blocks of one coding that do not depend on each other.
struct DeviceStage {
  DeviceCoding coding = DeviceCoding::Copy;
  std::uint32_t endBlock = 0;  ///< begins where the stage before ends
};

/// Work for a device, all of it in one run of pinned memory that its queue lent.
struct DeviceBatch {
  std::size_t inputBytes = 0;
  std::uint64_t keysAt = 0;               ///< ChecksumKeys
  std::uint64_t partsAt = 0;              ///< DevicePart
  std::uint64_t blocksAt = 0;             ///< DeviceBlock, in the order of the stages
  std::span<const DeviceStage> stages{};  ///< run one after the other
  std::size_t outputBytes = 0;
  bool isDownloaded = true;  ///< else the words stay on the device: only their checks are wanted
};

/// Contexts of the symbols of differences.
inline constexpr std::uint32_t kDeviceContexts = 64;

/// Words to be coded as differences to their parent's (codecs `integer` and `xor`), all in one run
/// of pinned memory that their queue lent. Numbers named `…At` are offsets there, as in DevicePart.
struct DeviceEncoding {
  std::size_t inputBytes = 0;
  /// Of those: what the queue's last run uploaded already and nobody wrote to since.
  std::size_t keptBytes = 0;
  DevicePart part{};           ///< as its decoder would describe it, but for `tablesAt`
  std::uint64_t wordsAt = 0;   ///< `wordCount` words of part.wordBytes: 1, 2 or 4
  std::uint64_t parentAt = 0;  ///< as many
  std::uint32_t wordCount = 0;
  std::uint32_t alphabet = 0;  ///< symbols of one context: 64, or 128 for words of 4 bytes
  // To encode, not to count:
  std::uint64_t entriesAt = kNoArray;  ///< RansEncoderEntry, `alphabet` per table of part.mapAt
  std::uint32_t blockWords = 1;        ///< words of every block but the last

  constexpr std::uint32_t blockCount() const noexcept {
    return (wordCount + blockWords - 1) / blockWords;
  }
};

/// Most bytes of the stream of one block: its states, and what its symbols and raw bits push out.
inline std::uint64_t mostStreamBytes(const DeviceEncoding& work) noexcept {
  const std::uint64_t wordsOfEach = work.part.wordBytes == 4 ? 3 : 2;
  return std::uint64_t{4} * kMaxLanes + 2 * wordsOfEach * work.blockWords;
}

/// The pattern that a run of values is most like (codec `patterns`).
struct PatternMatch {
  float peak = 0;  ///< scalar product of the run with the signs
  std::uint32_t number = 0;
};

/// Values whose best patterns are wanted, in one run of pinned memory. They are cut into blocks and
/// these into runs, one for each pattern.
struct DeviceSearch {
  std::size_t inputBytes = 0;
  std::size_t keptBytes = 0;   ///< as of DeviceEncoding
  std::uint64_t valuesAt = 0;  ///< f32
  std::uint32_t wordCount = 0;
  std::uint32_t blockWords = 1;  ///< words of every block but the last
  std::uint32_t length = 1;      ///< words of every run of a block but the last
  std::uint32_t lengthLog2 = 0;  ///< of `length`, rounded up
  std::uint32_t basesLog2 = 0;

  /// Numbers in the transform of a run.
  STRATA_ANYWHERE constexpr std::uint32_t entries() const noexcept { return 1U << lengthLog2; }
  STRATA_ANYWHERE constexpr std::uint32_t runsInBlock() const noexcept {
    return (blockWords + length - 1) / length;
  }
  STRATA_ANYWHERE constexpr std::uint32_t runCount() const noexcept {
    const std::uint32_t last = wordCount % blockWords;
    return wordCount / blockWords * runsInBlock() + (last + length - 1) / length;
  }
  STRATA_ANYWHERE constexpr std::uint32_t firstWord(std::uint32_t run) const noexcept {
    return run / runsInBlock() * blockWords + run % runsInBlock() * length;
  }
  STRATA_ANYWHERE constexpr std::uint32_t wordsIn(std::uint32_t run) const noexcept {
    const std::uint32_t first = firstWord(run);
    const std::uint32_t ofBlock = blockWords - first % blockWords;
    const std::uint32_t left = wordCount - first < ofBlock ? wordCount - first : ofBlock;
    return left < length ? left : length;
  }
};

/// Bytes that the search for one run works in.
STRATA_ANYWHERE constexpr std::size_t searchScratchBytes(const DeviceSearch& work) noexcept {
  const std::size_t sizes = (std::size_t{2} << work.basesLog2) + 15;
  return 8 * std::size_t{work.entries()} + sizes / 16 * 16;
}

/// Values to be counted by a sketch (core/codec/lossy/level_sketch.h), in one run of pinned memory.
struct DeviceSketch {
  std::size_t inputBytes = 0;
  std::size_t keptBytes = 0;   ///< as of DeviceEncoding
  std::uint64_t binsAt = 0;    ///< SketchBin, for all floats
  std::uint64_t valuesAt = 0;  ///< f32
  std::uint32_t valueCount = 0;
  std::uint32_t slotCount = 0;
};

/// Centres to be fitted to weighted values, as core/codec/lossy/level_fit.h says, likewise.
struct DeviceCentres {
  std::size_t inputBytes = 0;
  std::size_t keptBytes = 0;
  std::uint64_t valuesAt = 0;   ///< f32, ascending
  std::uint64_t weightsAt = 0;  ///< f64
  std::uint64_t drawsAt = 0;    ///< f64, one for each centre
  std::uint32_t valueCount = 0;
  std::uint32_t centreCount = 0;
  std::uint32_t rounds = 0;
};

/// Bytes that a fit works in.
STRATA_ANYWHERE constexpr std::size_t centresScratchBytes(const DeviceCentres& work) noexcept {
  return 8 * (std::size_t{work.valueCount} + kMaxLanes + work.centreCount) +
         4 * (2 * std::size_t{work.centreCount} + 1);
}

/// Values whose nearest levels are wanted, likewise.
struct DeviceNearest {
  std::size_t inputBytes = 0;
  std::size_t keptBytes = 0;
  std::uint64_t valuesAt = 0;  ///< f32
  std::uint64_t edgesAt = 0;   ///< f32, ascending: where neighbouring levels meet
  std::uint32_t valueCount = 0;
  std::uint32_t edgeCount = 0;  ///< at most 255
};

/// One place for a batch on a device: its memory there, pinned memory here and a stream. For one
/// thread at a time; several queues overlap.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;

  /// Pinned memory of at least `bytes` bytes for the input; what was there stays. Null if there is
  /// not enough.
  virtual std::byte* input(std::size_t bytes) = 0;
  /// Uploads the input, runs the stages in order and waits. `output` and `states` then hold what
  /// became of it, until the next run.
  virtual DeviceFault run(const DeviceBatch& batch) = 0;
  /// Uploads and counts the symbols of all words. `output` then holds `alphabet` numbers of 32 bits
  /// for each context.
  virtual DeviceFault count(const DeviceEncoding& work) = 0;
  /// Uploads and encodes all words. `output` then holds the streams of the blocks, one after the
  /// other, and `streamBytes` their sizes.
  virtual DeviceFault encode(const DeviceEncoding& work) = 0;
  /// Uploads the values and finds the best pattern of each run. `output` then holds a PatternMatch
  /// for each.
  virtual DeviceFault search(const DeviceSearch& work) = 0;
  /// Uploads and counts the values. `output` then holds a number of 32 bits for each slot.
  virtual DeviceFault sketch(const DeviceSketch& work) = 0;
  /// Uploads and fits. `output` then holds an f64 for each centre.
  virtual DeviceFault fit(const DeviceCentres& work) = 0;
  /// Uploads and finds the nearest level of each value. `output` then holds a byte for each.
  virtual DeviceFault nearest(const DeviceNearest& work) = 0;
  /// The bytes of the last run, if they were downloaded.
  virtual std::span<const std::byte> output() const noexcept = 0;
  /// One for each block that was decoded.
  virtual std::span<const BlockState> states() const noexcept = 0;
  /// One for each block that was encoded; 0 where a symbol has no place in its table.
  virtual std::span<const std::uint32_t> streamBytes() const noexcept = 0;
  /// Seconds that the kernels of the last run took on the device.
  virtual double kernelSeconds() const noexcept = 0;
};

/// A GPU. Safe to use from any thread.
class DeviceEngine {
 public:
  virtual ~DeviceEngine() = default;

  virtual const std::string& name() const noexcept = 0;  ///< "NVIDIA H200"
  /// Null if the memory does not suffice.
  virtual std::unique_ptr<DeviceQueue> makeQueue() = 0;
};

/// A GPU, or why there is none.
struct DeviceOpening {
  std::unique_ptr<DeviceEngine> engine;  ///< null unless `fault` is None
  DeviceFault fault = DeviceFault::None;
  std::string reason;  ///< lower case, names what was found
};

/// Takes the first CUDA device. Nothing of CUDA is touched before the first call; a driver is
/// looked for then.
DeviceOpening openCudaDevice();

/// "out of memory", …
const char* describe(DeviceFault fault) noexcept;

}  // namespace strata::kernels
