strata init -q >/dev/null
run=$EXAMPLES/../tests/data/pytorch/1.13
strata add run $run/step-3.ckpt --base none -q >/dev/null
echo "- as ExCP: weights and both moments"
strata add run $run/step-4.ckpt --base run:v1 --profile excp | sed 's/  Stored.*//; s/compared, .*/compared/'
strata show run:v2 | grep -E 'error|profile'
strata show run:v2 --json | python3 -c '
import json, sys
print([(e["role"], 0 < e["relative_error"] < 1, e["exact"]) for e in json.load(sys.stdin)["role_errors"]])'
strata restore run:v2 -o again.ckpt -q >/dev/null
echo "- as Check-N-Run: a table of which few rows were touched"
python3 -c '
import json, struct
def write(path, touched):
    rows = [[(r * 31 + c * 17) % 97 / 97 for c in range(32)] for r in range(2000)]
    for r in range(0, 2000, 100):
        rows[r] = [x + touched * (c + 1) for c, x in enumerate(rows[r])]
    data = b"".join(struct.pack("<32f", *row) for row in rows)
    head = json.dumps({"embedding.weight": {"dtype": "F32", "shape": [2000, 32],
                       "data_offsets": [0, len(data)]}}).encode()
    open(path, "wb").write(struct.pack("<Q", len(head)) + head + data)
write("one.safetensors", 0)
write("two.safetensors", 0.01)'
strata import one.safetensors --name table -q >/dev/null
for profile in check-n-run lc-checkpoint; do
  strata add $profile two.safetensors --base table --profile $profile --json | tail -n 1 | python3 -c '
import json, sys
told = json.load(sys.stdin)
print(told["version"]["stored_bytes"] < 3000)'
done
strata show check-n-run --tensors | grep -o 'rows' | head -n 1
echo "- the Huffman codes of LC-Checkpoint"
strata add coded $run/step-4.ckpt --base run:v1 --codec huffman --json | tail -n 1 | python3 -c '
import json, sys
print(0 < json.load(sys.stdin)["relative_error"] < 1)'
echo "- refused"
printf 'mode = "quality"\n[[rule]]\nkind = "first moment"\ncodec = "levels"\n' > bad.toml
strata add run $run/step-4.ckpt --profile bad.toml; echo $?
printf 'mode = "quality"\n[quantize]\ncodec = "rows"\nbits = 1\n' > few.toml
strata add run $run/step-4.ckpt --profile few.toml; echo $?
strata verify --full -q >/dev/null && echo sound
