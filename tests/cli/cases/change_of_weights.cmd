# The change is of floating-point weights: integers and fill values do not hide it.
cat > make.py <<'P'
import json, random, struct
def write(file, tensors):
    header, body = {}, b""
    for name, kind, shape, data in tensors:
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    open(file, "wb").write(struct.pack("<Q", len(text)) + text + body)
rng = random.Random(7)
weights = [rng.gauss(0, 0.05) for _ in range(64 * 64)]
moved = [w * (1 + 0.2 * rng.choice([-1, 1])) for w in weights]
packed = [rng.randrange(2**32) for _ in range(1024)]
other = packed[:768] + [rng.randrange(2**32) for _ in range(256)]
w = lambda values: ("w", "F32", [64, 64], struct.pack(f"<{len(values)}f", *values))
ids = ("position_ids", "I64", [1, 512], struct.pack("<512q", *range(512)))
mask = lambda low: ("mask", "F32", [4, 4], struct.pack("<16f", *([low, 0.0] * 8)))
q = lambda values: ("qweight", "I32", [32, 32], struct.pack("<1024I", *values))
for name, rest in {"plain": lambda i: [], "ids": lambda i: [ids], "mask": lambda i: [mask(-3.4e38)],
                   "filled": lambda i: [mask([-1e4, -3.4e38][i])],
                   "packed": lambda i: [q([packed, other][i])]}.items():
    write(f"{name}0.safetensors", [w(weights)] + rest(0))
    write(f"{name}1.safetensors", [w(moved)] + rest(1))
write("codes0.safetensors", [w(weights), q(packed)])
write("codes1.safetensors", [w(weights), q(other)])
P
python3 make.py
numbers() { python3 -c '
import json, sys
found = json.load(sys.stdin)
found = found.get("version") or (found["versions"][0] if "versions" in found else found)
rest = [found[k] for k in ("changed_share_of_integers",) if k in found]
print(sys.argv[1], "change %.2g" % found["relative_change"], *rest)' "$@" | sed 's/\./,/'; }
strata init -q >/dev/null
for name in plain ids mask filled packed codes; do
  strata import ${name}0.safetensors --name $name -q >/dev/null
  strata add $name ${name}1.safetensors --base $name -q >/dev/null
  strata diff ${name}0.safetensors ${name}1.safetensors --json | numbers diff $name
  strata show $name:v2 --json | numbers show $name
  strata list $name --json | numbers list $name
done
strata diff codes0.safetensors codes1.safetensors; strata diff packed:v1 packed:v2 --tensors
strata show codes:v2 | grep -A 1 change
strata show packed:v2 --tensors | tail -2 | awk '{ print $1, $NF }'
strata show ids:v2 | grep change; strata verify --full -q
