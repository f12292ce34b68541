# Models with nothing in them, with what has no size, and words that look like options.
python3 - <<'P'
import json, struct
def write(file, **tensors):
    header, body = {}, b""
    for name, (shape, data) in tensors.items():
        header[name.replace("__", "-")] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    open(file, "wb").write(struct.pack("<Q", len(text)) + text + body)
floats = lambda *values: ([len(values)], struct.pack(f"<{len(values)}f", *values))
nan, inf = float("nan"), float("inf")
write("empty.safetensors")
write("none.safetensors", w=([0, 4], b""))
write("nan.safetensors", w=floats(*[nan] * 300))
write("inf.safetensors", w=floats(*[nan] * 200, *[inf] * 100))
write("zeros.safetensors", w=floats(*[0] * 300))
write("ones.safetensors", w=floats(*[1] * 300))
write("minus.safetensors", w=floats(*[-0.0] * 300))
write("-dash.safetensors", __w=floats(1, 2, 3))
P
strata init -q
for name in empty none nan zeros; do strata import $name.safetensors --name $name -q >/dev/null; done
strata show empty --tensors
strata diff empty none
strata add nan inf.safetensors --base nan -q >/dev/null
strata show nan | grep change; strata list nan --columns ref,change,parent
strata diff nan:v1 nan:v2
strata diff zeros ones.safetensors | grep change; strata diff ones.safetensors zeros | grep change
strata diff zeros minus.safetensors | grep change
strata import -dash.safetensors --name dash
strata import -q --name dash -- -dash.safetensors >/dev/null; strata cat dash -- -w | wc -c; strata cat dash -w
strata bundle create b.tar -f
