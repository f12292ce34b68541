# Tensors without elements come along; what is noted of a folder is no metadata of a model.
python3 - <<'END'
import json, os, struct

def save(path, tensors):
    header, data = {}, b""
    for name, (shape, body) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)

os.makedirs("model/sub")
save("model/model.safetensors", {"a": ([64], bytes(256)), "none": ([0, 7], b"")})
END
strata init -q >/dev/null && strata import model --name m -q >/dev/null
strata restore m --format safetensors -o whole.safetensors
strata restore m --format safetensors --tensor 'n*' -o one.safetensors
for file in whole one; do
  python3 -c "
import json, struct, sys
whole = open('$file.safetensors', 'rb').read()
header = json.loads(whole[8:8 + struct.unpack('<Q', whole[:8])[0]])
print(sorted((name, one if name == '__metadata__' else one['shape']) for name, one in header.items()))"
done
