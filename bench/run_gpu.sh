#!/usr/bin/env bash
# Everything that needs a GPU, in one command: tests, compute-sanitizer, benches. Prints markdown for
# docs/RESULTS.md on stdout, all else on stderr. Exits 77 where there is no GPU.
#
#   bench/run_gpu.sh [BUILD]    BUILD: a folder that the preset `cuda` was built in; else it is built
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -e /dev/nvidiactl ] && ! nvidia-smi -L >/dev/null 2>&1; then
  echo "run_gpu: SKIPPED: this machine has no NVIDIA GPU, or no driver for it" >&2
  exit 77
fi

build=${1:-build/cuda}
if [ $# -eq 0 ]; then
  scripts/setup >&2
  cmake --preset cuda >&2
  cmake --build --preset cuda --target strata strata_conformance strata_gpu_tests device_bench >&2
fi
conformance=$build/tests/conformance/strata_conformance
gpu_tests=$build/tests/unit/device/strata_gpu_tests

echo "run_gpu: the conformance inputs, decoded and encoded on the device" >&2
STRATA_TEST_DEVICE=cuda "$conformance" --gtest_brief=1 --gtest_filter='*Device*' >&2
"$gpu_tests" --gtest_brief=1 >&2
for tool in memcheck racecheck; do
  if command -v compute-sanitizer >/dev/null; then
    echo "run_gpu: compute-sanitizer, $tool" >&2
    STRATA_TEST_DEVICE=cuda compute-sanitizer --tool "$tool" --error-exitcode 1 "$conformance" \
      --gtest_brief=1 --gtest_filter='*Device*Any*:*Device*Damage*:*Device*Feature*:*Device*Odd*' >&2
  fi
done

work=$(mktemp -d "${TMPDIR:-/dev/shm}/strata-gpu.XXXXXX")
trap 'rm -rf "$work"' EXIT
strata() { "$build/cli/strata" -C "$work/store" "$@"; }

# best_rate BYTES COMMAND...: GB/s of a command by the seconds of its result, the best of 5.
best_rate() {
  local bytes=$1
  shift
  for _ in 1 2 3 4 5; do
    strata "$@" --json --progress never | python3 -c 'import json, sys
for line in sys.stdin:
    event = json.loads(line)
    if event["type"] == "result": print(int(sys.argv[1]) / event["seconds"] / 1e9)' "$bytes"
  done | sort -g | tail -1
}
# table COMMAND...: a row for the CPU and one for the GPU.
table() {
  local bytes device
  bytes=$(stat -c %s "$work/tuned.safetensors")
  printf '\n| device | GB/s |\n|---|---|\n'
  for device in cpu cuda; do
    printf '| %s | %.2f |\n' "$device" "$(best_rate "$bytes" "$@" --device "$device")"
  done
}
/usr/bin/python3 bench/make_pair.py "$work" >&2
strata init -q >/dev/null
strata import "$work/base.safetensors" --name base -q >/dev/null

echo "Machine: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1), $(nproc) cores, commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
echo
"$build/bench/device_bench"
echo
echo "Coding 1 GiB of bf16 with \`strata add -n\`, every block decoded again by the CPU, best of 5:"
table add tuned "$work/tuned.safetensors" --base base -n
echo
echo "The same with --profile balanced, which searches for patterns:"
table add tuned "$work/tuned.safetensors" --base base --profile balanced -n
echo
echo "The same with --codec index --levels 16, which sketches, fits and assigns levels:"
table add tuned "$work/tuned.safetensors" --base base --codec index --levels 16 -n
strata add tuned "$work/tuned.safetensors" --base base --device cuda -q >/dev/null
echo
echo "Restoring it with \`strata restore\` to a file in memory, hashes checked, best of 5:"
table restore tuned -o "$work/out.safetensors" --force
cmp "$work/out.safetensors" "$work/tuned.safetensors"
