# Weights with noise of half their size are differences to a base that is named, where that takes less.
python3 - <<'EOF'
import array, json, random, struct
chance = random.Random(1)
def save(path, words, kind):
    data = array.array("f", words).tobytes()
    if kind == "BF16":
        whole = array.array("I")
        whole.frombytes(data)
        data = array.array("H", [(word + 0x8000) >> 16 & 0xffff for word in whole]).tobytes()
    header = json.dumps({"w": {"dtype": kind, "shape": [300, len(words) // 300], "data_offsets": [0, len(data)]}}).encode()
    open(path, "wb").write(struct.pack("<Q", len(header)) + header + data)
base = [chance.gauss(0, 0.05) for _ in range(120000)]
noisy = [word + chance.gauss(0, 0.02) for word in base]
other = [chance.gauss(0, 0.05) for _ in base]
for kind in ("F32", "BF16"):
    for name, words in (("base", base), ("noisy", noisy), ("other", other)):
        save(f"{name}-{kind}.safetensors", words, kind)
EOF
bytes() { strata add "$@" --json 2>/dev/null | python3 -c 'import json, sys; print(next(e["version"]["stored_bytes"] for e in map(json.loads, sys.stdin) if e.get("type") == "result"))'; }
for kind in F32 BF16; do
  strata init $kind -q >/dev/null; strata -C $kind import base-$kind.safetensors --name base -q >/dev/null
  for name in noisy other; do
    own=$(bytes $name $name-$kind.safetensors -n --base none -C $kind)
    named=$(bytes $name $name-$kind.safetensors -n --base base -C $kind)
    echo "$kind $name: $((named < own * 99 / 100)) smaller, $((named > own + 200)) larger"
  done
  strata -C $kind add lossy noisy-$kind.safetensors --base base --codec levels --step 0.5 2>/dev/null | grep tensors
  strata -C $kind add noisy noisy-$kind.safetensors --base base -q >/dev/null 2>&1
  strata -C $kind restore noisy -o back.safetensors -q --force >/dev/null; cmp back.safetensors noisy-$kind.safetensors && echo same
done
