# Weights that were widened to f64 are no difference to those that they were widened from.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add twin $MODELS/base.safetensors -q >/dev/null
python3 - $MODELS/base.safetensors <<'END'
import array, json, struct, sys

whole = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", whole[:8])[0]
header, body = json.loads(whole[8:8 + size]), whole[8 + size:]
header.pop("__metadata__", None)
data = b""
for tensor in sorted(header.values(), key=lambda one: one["data_offsets"]):
    begin, end = tensor["data_offsets"]
    words = array.array("d", array.array("f", body[begin:end])) if tensor["dtype"] == "F32" else None
    words = words.tobytes() if words else body[begin:end]
    tensor["dtype"] = "F64" if tensor["dtype"] == "F32" else tensor["dtype"]
    tensor["data_offsets"] = [len(data), len(data) + len(words)]
    data += words
text = json.dumps(header).encode()
open("wide.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
END
strata add wide wide.safetensors --base none -q >/dev/null
strata recode wide --base twin
