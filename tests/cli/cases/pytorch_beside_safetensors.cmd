# The weights of the example base as torch.save has them, made without torch.
python3 - $EXAMPLES/base.safetensors pytorch_model.bin <<'END'
import io, json, pickle, struct, sys, zipfile
data = open(sys.argv[1], "rb").read()
length, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + length])
header.pop("__metadata__", None)

class Named:
    def __init__(self, module, name): self.module, self.name = module, name
class Made:
    def __init__(self, callee, *args): self.callee, self.args = callee, args

def text(s): return b"X" + struct.pack("<I", len(s)) + s.encode()
def put(v):
    if isinstance(v, Named): return b"c%s\n%s\n" % (v.module.encode(), v.name.encode())
    if isinstance(v, Made): return put(v.callee) + put(v.args) + b"R"
    if isinstance(v, bool): return b"\x88" if v else b"\x89"
    if isinstance(v, int): return b"J" + struct.pack("<i", v)
    if isinstance(v, str): return text(v)
    if isinstance(v, list): return put(tuple(v)) + b"Q"
    return b"(" + b"".join(map(put, v)) + b"t"

ordered = Named("collections", "OrderedDict")
out = b"\x80\x02" + put(Made(ordered)) + b"("
storages = []
for name, said in header.items():
    assert said["dtype"] == "F32", said
    shape, (begin, end) = said["shape"], said["data_offsets"]
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    storage = ["storage", Named("torch", "FloatStorage"), str(len(storages)), "cpu", step]
    storages.append(data[8 + length + begin:8 + length + end])
    out += text(name) + put(Made(Named("torch._utils", "_rebuild_tensor_v2"), storage, 0,
                                 tuple(shape), tuple(strides), False, Made(ordered)))
out += b"u."
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_STORED) as file:
    file.writestr(zipfile.ZipInfo("model/data.pkl"), out)
    file.writestr(zipfile.ZipInfo("model/byteorder"), "little")
    for number, bytes_ in enumerate(storages):
        file.writestr(zipfile.ZipInfo("model/data/%d" % number), bytes_)
    file.writestr(zipfile.ZipInfo("model/version"), "3\n")
END
strata init -q >/dev/null
strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata add twin pytorch_model.bin --json | python3 -c '
import json, sys
version = json.loads(sys.stdin.read().splitlines()[-1])["version"]
print("base", version["base"])
print("small", version["stored_bytes"] * 50 < version["original_bytes"])'
strata restore twin -o again.bin -q >/dev/null && cmp again.bin pytorch_model.bin && echo same
echo "- both in one folder: the second is next to nothing"
mkdir both && cp $EXAMPLES/base.safetensors both/model.safetensors && cp pytorch_model.bin both
strata add both --base none --json | python3 -c '
import json, sys
version = json.loads(sys.stdin.read().splitlines()[-1])["version"]
print("half", version["stored_bytes"] < 0.6 * version["original_bytes"])'
echo "- as a base it is found by other formats"
strata init other -q >/dev/null
strata -C other import pytorch_model.bin --name base -q >/dev/null
for model in base.safetensors rotated.onnx; do
  strata -C other add x $EXAMPLES/$model --json | python3 -c '
import json, sys
version = json.loads(sys.stdin.read().splitlines()[-1])["version"]
print(version["base"], version["tensors_new"])'
done
