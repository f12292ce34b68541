# A base of zeros: every change of it is infinite. Tensors of several files have a column for these.
cat > make.py <<'P'
import json, os, struct
def write(file, name, values):
    data = struct.pack(f"<{len(values)}f", *values)
    header = json.dumps({name: {"dtype": "F32", "shape": [len(values)], "data_offsets": [0, len(data)]}}).encode()
    open(file, "wb").write(struct.pack("<Q", len(header)) + header + data)
for folder, values in {"zeros": [0.0] * 4096, "tuned": [0.25] * 2048 + [0.0] * 2048}.items():
    os.mkdir(folder)
    write(f"{folder}/one.safetensors", "a", values)
    write(f"{folder}/two.safetensors", "b", values)
P
python3 make.py
strata init -q >/dev/null && strata import zeros --name zeros -q >/dev/null
strata add tuned tuned --base zeros -q >/dev/null
strata diff zeros:v1 tuned:v1 --progress never | grep -i change
strata show tuned | grep change; strata show tuned --json | grep -o '"relative_change":[^,]*' | sort -u
strata list --columns ref,change; strata log tuned | grep -o "change.*"
strata show tuned --tensors
strata verify --rebuild -q; strata verify --rebuild-catalog -q >/dev/null; strata list --columns ref,change
