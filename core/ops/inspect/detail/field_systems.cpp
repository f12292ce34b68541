#include "core/ops/inspect/detail/field_systems.h"

#include <array>

namespace strata {
namespace {

constexpr std::string_view kOurs = "Strata";

constexpr std::array kSystems{
    FieldSystem{"Strata", kOurs, "exact", "auto", "default", ""},
    FieldSystem{"Strata, best", kOurs, "exact", "auto", "best", ""},
    FieldSystem{"Strata, fast", kOurs, "exact", "auto", "fast", ""},
    FieldSystem{"FM-Delta", "NeurIPS 2024", "integer differences", "integer", "default", ""},
    FieldSystem{"BitX (ZipLLM)", "arXiv 2505.06252", "XOR with the base", "xor", "default", ""},
    FieldSystem{"ZipNN", "arXiv 2411.05239", "byte planes", "planes", "default", ""},
    FieldSystem{"zstd", "RFC 8878", "zstd of each tensor", "zstd", "default", ""},
    FieldSystem{"Strata, safe", kOurs, "safe", "", "", ""},
    FieldSystem{"Strata, balanced", kOurs, "balanced", "", "", ""},
    FieldSystem{"Strata, small", kOurs, "small", "", "", ""},
    FieldSystem{"Strata, resume", kOurs, "resume", "", "", "", "", true},
    FieldSystem{"Strata, resume-small", kOurs, "resume-small", "", "", "", "", true},
    FieldSystem{"Inshrinkerator", "arXiv 2306.11800", "16 levels, 20 % pruned", "", "", "",
                "inshrinkerator"},
    FieldSystem{"QD-Compressor", "ICCD 2020", "32 even levels", "", "", "", "qd-compressor"},
    FieldSystem{"LC-Checkpoint", "arXiv 2009.13003", "exponent buckets, 3 bits", "", "", "",
                "lc-checkpoint"},
    FieldSystem{"LC-Checkpoint, Huffman", "arXiv 2009.13003", "the same with Huffman codes", "", "",
                "[quantize]\ncodec = \"huffman\"\nbits = 3\n"},
    FieldSystem{"Check-N-Run", "NSDI 2022", "16 even steps of each row", "", "", "", "check-n-run"},
    FieldSystem{"ExCP", "arXiv 2406.11257", "15 levels, moments pruned with weights", "", "", "",
                "excp"},
    FieldSystem{"BitDelta", "arXiv 2402.10193", "signs and one scale", "", "",
                "[quantize]\ncodec = \"sign\"\n"},
    FieldSystem{"DCTZ", "MSST 2019", "each weight within 0.001", "", "",
                "[quantize]\ncodec = \"bounded\"\nmax_error = 0.001\n"},
};

}  // namespace

std::span<const FieldSystem> fieldSystems() noexcept { return kSystems; }

}  // namespace strata
