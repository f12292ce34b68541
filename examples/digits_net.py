"""The small convolutional net of the examples, in numpy, and the two file formats it is kept in.

Weights are a dict of float32 arrays, named and laid out as PyTorch's Conv2d and Linear have them.
"""
import json
import struct

import numpy as np

HIDDEN = 160
HEAD = ("fc2.weight", "fc2.bias")


def new_weights(rng, classes=10):
    def layer(*shape):
        fan_in = int(np.prod(shape[1:]))
        return (rng.standard_normal(shape) * np.sqrt(2.0 / fan_in)).astype(np.float32)

    return {
        "conv1.weight": layer(16, 1, 3, 3), "conv1.bias": np.zeros(16, np.float32),
        "conv2.weight": layer(32, 16, 3, 3), "conv2.bias": np.zeros(32, np.float32),
        "fc1.weight": layer(HIDDEN, 512), "fc1.bias": np.zeros(HIDDEN, np.float32),
        "fc2.weight": layer(classes, HIDDEN), "fc2.bias": np.zeros(classes, np.float32),
    }


def _columns(x):
    """The 3x3 neighbourhoods of an (n, c, 8, 8) batch, zero padded, as (n * 64, c * 9)."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, c * 9)


def _fold(columns, n, c):
    """The adjoint of `_columns`."""
    padded = np.zeros((n, c, 10, 10), np.float32)
    parts = columns.reshape(n, 8, 8, c, 3, 3).transpose(4, 5, 0, 3, 1, 2)
    for i in range(3):
        for j in range(3):
            padded[:, :, i : i + 8, j : j + 8] += parts[i, j]
    return padded[:, :, 1:9, 1:9]


def _convolve(columns, weight, bias, n):
    flat = columns @ weight.reshape(weight.shape[0], -1).T + bias
    return np.maximum(flat.reshape(n, 8, 8, -1).transpose(0, 3, 1, 2), 0)


def forward(w, images, keep=None):
    """Logits for (n, 8, 8) images of 0..16; `keep`, if given, takes what `gradients` needs."""
    n = len(images)
    x = (images.reshape(n, 1, 8, 8) / 16.0).astype(np.float32)
    columns1 = _columns(x)
    maps1 = _convolve(columns1, w["conv1.weight"], w["conv1.bias"], n)
    columns2 = _columns(maps1)
    maps2 = _convolve(columns2, w["conv2.weight"], w["conv2.bias"], n)
    tiles = maps2.reshape(n, 32, 4, 2, 4, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, 512, 4)
    pooled = tiles.max(2)
    hidden = np.maximum(pooled @ w["fc1.weight"].T + w["fc1.bias"], 0)
    if keep is not None:
        keep.update(columns1=columns1, maps1=maps1, columns2=columns2, maps2=maps2, tiles=tiles,
                    pooled=pooled, hidden=hidden)
    return hidden @ w["fc2.weight"].T + w["fc2.bias"]


def gradients(w, images, labels):
    """The mean cross-entropy and its gradient for each weight."""
    n, kept = len(images), {}
    logits = forward(w, images, kept)
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    loss = float(-np.log(p[np.arange(n), labels] + 1e-12).mean())
    p[np.arange(n), labels] -= 1
    p /= n
    g = {"fc2.weight": p.T @ kept["hidden"], "fc2.bias": p.sum(0)}
    d = (p @ w["fc2.weight"]) * (kept["hidden"] > 0)
    g["fc1.weight"], g["fc1.bias"] = d.T @ kept["pooled"], d.sum(0)
    d = d @ w["fc1.weight"]
    first = np.eye(4, dtype=np.float32)[kept["tiles"].argmax(2)]
    d = (d[:, :, None] * first).reshape(n, 32, 4, 4, 2, 2).transpose(0, 1, 2, 4, 3, 5)
    d = d.reshape(n, 32, 8, 8) * (kept["maps2"] > 0)
    flat = d.transpose(0, 2, 3, 1).reshape(n * 64, 32)
    g["conv2.weight"] = (flat.T @ kept["columns2"]).reshape(32, 16, 3, 3)
    g["conv2.bias"] = flat.sum(0)
    d = _fold(flat @ w["conv2.weight"].reshape(32, -1), n, 16) * (kept["maps1"] > 0)
    flat = d.transpose(0, 2, 3, 1).reshape(n * 64, 16)
    g["conv1.weight"] = (flat.T @ kept["columns1"]).reshape(16, 1, 3, 3)
    g["conv1.bias"] = flat.sum(0)
    return loss, {k: v.astype(np.float32) for k, v in g.items()}


def accuracy(w, images, labels):
    return float((forward(w, images).argmax(1) == labels).mean())


def to_bf16(a):
    """float32 to the 16-bit words of bfloat16, rounded to nearest even."""
    bits = np.ascontiguousarray(a, "<f4").view("<u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def from_bf16(words):
    return (words.astype("<u4") << 16).view("<f4")


def save_safetensors(path, weights, metadata=None, bf16=False):
    header, blobs, offset = {}, [], 0
    if metadata:
        header["__metadata__"] = metadata
    for name, a in weights.items():
        blob = to_bf16(a).tobytes() if bf16 else np.ascontiguousarray(a, "<f4").tobytes()
        header[name] = {"dtype": "BF16" if bf16 else "F32", "shape": list(a.shape),
                        "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def load_safetensors(path):
    with open(path, "rb") as f:
        data = f.read()
    (length,) = struct.unpack("<Q", data[:8])
    weights = {}
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + o for o in entry["data_offsets"])
        if entry["dtype"] == "BF16":
            words = from_bf16(np.frombuffer(data[begin:end], "<u2"))
        else:
            words = np.frombuffer(data[begin:end], "<f4")
        weights[name] = words.reshape(entry["shape"])
    return weights


def save_onnx(path, weights, first_number):
    """The net as ONNX, as PyTorch exports it: Linear weights lie transposed as `onnx::MatMul_N`."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    matmul = {"fc1": f"onnx::MatMul_{first_number}", "fc2": f"onnx::MatMul_{first_number + 1}"}
    nodes, values = [], {}

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], f"/{output}", **attributes))

    def conv(name, x, output):
        values.update({f"{name}.{part}": weights[f"{name}.{part}"] for part in ("weight", "bias")})
        node("Conv", [x, f"{name}.weight", f"{name}.bias"], f"{name}_out", pads=[1, 1, 1, 1],
             kernel_shape=[3, 3])
        node("Relu", [f"{name}_out"], output)

    def linear(name, x, output):
        values[f"{name}.bias"] = weights[f"{name}.bias"]
        values[matmul[name]] = np.ascontiguousarray(weights[f"{name}.weight"].T)
        node("MatMul", [x, matmul[name]], f"{name}_product")
        node("Add", [f"{name}.bias", f"{name}_product"], output)

    conv("conv1", "image", "maps1")
    conv("conv2", "maps1", "maps2")
    node("MaxPool", ["maps2"], "pooled", kernel_shape=[2, 2], strides=[2, 2])
    node("Flatten", ["pooled"], "flat", axis=1)
    linear("fc1", "flat", "sums")
    node("Relu", ["sums"], "hidden")
    linear("fc2", "hidden", "logits")
    # As PyTorch orders them: parameters that kept their names first, then the renamed ones.
    order = sorted(values, key=lambda name: name.startswith("onnx::"))
    classes = len(weights["fc2.bias"])
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
        [numpy_helper.from_array(values[name], name) for name in order])
    model = helper.make_model(graph, producer_name="strata-examples", producer_version="1",
                              ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    helper.set_model_props(model, {"task": "digits", "input": "pixels 0..16 divided by 16"})
    onnx.checker.check_model(model)
    onnx.save(model, path)


def load_onnx(path):
    """The weights of a file that `save_onnx` wrote, under their own names."""
    import onnx
    from onnx import numpy_helper

    values = {t.name: numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    renamed = sorted(name for name in values if name.startswith("onnx::"))
    for layer, name in zip(("fc1", "fc2"), renamed):
        values[f"{layer}.weight"] = np.ascontiguousarray(values.pop(name).T)
    return values
