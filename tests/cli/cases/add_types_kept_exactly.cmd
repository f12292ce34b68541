python3 - <<'END'
import json, struct
words = 64 * 64
def write(name, change, flag):
    header = {"body.weight": {"dtype": "F32", "shape": [64, 64], "data_offsets": [0, 4 * words]},
              "experts": {"dtype": "F4", "shape": [4096], "data_offsets": [4 * words, 4 * words + 2048]},
              "mask": {"dtype": "BOOL", "shape": [64], "data_offsets": [4 * words + 2048, 4 * words + 2112]}}
    text = json.dumps(header).encode()
    values = [(i * 7919 % 1009) / 1009 - 0.5 + change * (i % 13) for i in range(words)]
    with open(name, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + struct.pack(f"<{words}f", *values))
        file.write((bytes(range(256)) * 8)[:2047] + flag + bytes(63) + flag)
write("base.safetensors", 0, b"\0")
write("tuned.safetensors", 1e-4, b"\1")
END
strata init -q >/dev/null && strata import base.safetensors --name base -q >/dev/null
strata add tuned tuned.safetensors --profile balanced
strata diff base tuned
strata show tuned --tensors | grep -E "experts|mask"
