# A tensor whose bytes are not as many as its shape asks for is said, and comes back as it was.
python3 - <<'P'
import json, struct
def write(file, tensors):
    header, body = {}, b""
    for name, shape, data in tensors:
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    open(file, "wb").write(struct.pack("<Q", len(text)) + text + body)
write("odd.safetensors", [("short weight", [4, 4], bytes(60)), ("long\nweight", [2], bytes(12)), ("fits", [2], bytes(8))])
write("many.safetensors", [(f"w{i}", [3], bytes(8)) for i in range(8)])
P
strata init -q
strata import odd.safetensors --name odd
strata restore odd -o back.safetensors -q && cmp odd.safetensors back.safetensors && echo same
strata add many many.safetensors --base none
strata diff odd.safetensors many.safetensors -q
echo "# an index that names what is not in its folder"
mkdir set; printf '{"weight_map":{"a":"../odd.safetensors"}}' > set/model.safetensors.index.json
strata add set set; echo "exit $?"
strata add set set/model.safetensors.index.json; echo "exit $?"
echo "# bytes of other files are no tensors"
cp -r $MODELS/folder folder; python3 -c 'import random; open("folder/tokens.bin", "wb").write(random.Random(1).randbytes(1200000))'
strata import folder --name folder -q >/dev/null
strata show folder | grep tensors; strata list folder --columns ref,tensors | head -2
strata show folder --tensors | awk '{ print $1 }'
