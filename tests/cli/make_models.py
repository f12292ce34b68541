"""Small models for the cases, written with the standard library alone.

    make_models.py FOLDER

    base.safetensors     four tensors, f32, fixed seed
    tuned.safetensors    the same after a "fine-tune": one tensor equal, a few weights changed
    tuned2.safetensors   one step further
    wide.safetensors     tuned, with one more tensor
    renamed.safetensors  tuned under other names: one weight transposed, the head with two new rows
    other.safetensors    nothing in common with base
    base.onnx            a graph of one MatMul and one Add, hand-encoded; tuned.onnx likewise
    folder/, folder2/    a model with config.json and tokenizer.json
    run/                 checkpoints of a training as transformers writes them; the last one is torn
    bad/                 files that are no models or break their format
    big.safetensors      (with --big) 64 MB, for what must take a while
"""
import json
import pathlib
import random
import struct
import sys
import zipfile

SHAPES = {"embed.weight": (64, 32), "layer.0.weight": (32, 48), "layer.0.bias": (48,),
          "head.weight": (8, 48)}


def tensors_of(seed):
    rng = random.Random(seed)
    result = {}
    for name, shape in SHAPES.items():
        count = 1
        for dimension in shape:
            count *= dimension
        result[name] = (shape, [rng.gauss(0, 0.05) for _ in range(count)])
    return result


def tuned(tensors, seed, skip=("embed.weight",)):
    rng = random.Random(seed)
    result = {}
    for name, (shape, values) in tensors.items():
        if name not in skip:
            values = [v + rng.gauss(0, 1e-4) if rng.random() < 0.5 else v for v in values]
        result[name] = (shape, values)
    return result


def renamed(tensors):
    rows, columns = tensors["layer.0.weight"][0]
    weight = tensors["layer.0.weight"][1]
    turned = [weight[r * columns + c] for c in range(columns) for r in range(rows)]
    rng = random.Random(4)
    head = tensors["head.weight"][1] + [rng.gauss(0, 0.05) for _ in range(96)]
    return {"wte": tensors["embed.weight"], "h.0.w": ((columns, rows), turned),
            "h.0.b": tensors["layer.0.bias"], "score": ((10, 48), head)}


def pack(values):
    return struct.pack(f"<{len(values)}f", *values)


def safetensors(tensors, metadata=None):
    header = {"__metadata__": metadata} if metadata else {}
    body = b""
    for name, (shape, values) in tensors.items():
        data = pack(values)
        header[name] = {"dtype": "F32", "shape": list(shape),
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, payload):
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    if isinstance(payload, str):
        payload = payload.encode()
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def initializer(name, shape, raw):
    dims = b"".join(field(1, d) for d in shape)
    return dims + field(2, 1) + field(8, name) + field(9, raw)


def external(name, shape, location):
    dims = b"".join(field(1, d) for d in shape)
    entries = {"location": location, "offset": "0", "length": str(4 * shape[0])}
    data = b"".join(field(13, field(1, k) + field(2, v)) for k, v in entries.items())
    return dims + field(2, 1) + field(8, name) + data + field(14, 1)


def onnx(initializers):
    matmul = b"".join([field(1, "x"), field(1, "layer.0.weight"), field(2, "h"),
                       field(3, "/layer.0/MatMul"), field(4, "MatMul")])
    add = b"".join([field(1, "h"), field(1, "layer.0.bias"), field(2, "y"),
                    field(3, "/layer.0/Add"), field(4, "Add")])
    graph = field(1, matmul) + field(1, add) + field(2, "tiny")
    graph += b"".join(field(5, item) for item in initializers)
    opset = field(1, "") + field(2, 17)
    return (field(1, 8) + field(2, "make_models") + field(3, "1.0") + field(7, graph) +
            field(8, opset) + field(14, field(1, "task") + field(2, "test")))


def onnx_of(tensors):
    return onnx([initializer(name, shape, pack(values))
                 for name, (shape, values) in tensors.items()])


def write_folder(folder, tensors, note):
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(safetensors(tensors))
    (folder / "config.json").write_text(json.dumps({"model_type": "tiny", "note": note}))
    (folder / "tokenizer.json").write_text("{}\n")


def write_archive(file, payload):
    """As torch.save writes: a zip whose entries are not compressed."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo("archive/data.pkl"), b"\x80\x02N.")
        archive.writestr(zipfile.ZipInfo("archive/data/0"), payload)


def write_checkpoint(folder, tensors, step):
    """A checkpoint of transformers' Trainer; the moments of the optimizer follow from the step."""
    rng = random.Random(step)
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(safetensors(tensors))
    (folder / "config.json").write_text(json.dumps({"model_type": "tiny"}))
    write_archive(folder / "optimizer.pt", pack([rng.gauss(0, 1e-3) for _ in range(2000)]))
    write_archive(folder / "scheduler.pt", pack([step]))
    write_archive(folder / "rng_state.pth", rng.randbytes(100))
    log = [{"loss": 1 / step, "step": step}, {"eval_loss": 0.4, "eval_accuracy": 0.9 - 1 / step,
                                              "eval_runtime": 1.0, "step": step}]
    state = {"best_metric": None, "epoch": step / 10, "global_step": step, "log_history": log}
    (folder / "trainer_state.json").write_text(json.dumps(state))


def write_run(folder, base):
    tensors = base
    for step in (5, 10, 20):
        tensors = tuned(tensors, step, skip=())
        write_checkpoint(folder / f"checkpoint-{step}", tensors, step)
    (folder / "checkpoint-20" / "trainer_state.json").unlink()


def write_bad(folder, good):
    folder.mkdir()
    (folder / "cut.safetensors").write_bytes(good[:-100])
    (folder / "empty.onnx").write_bytes(b"")
    (folder / "text.onnx").write_text("this is no model\n")
    (folder / "long-header.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + b"{}")
    (folder / "escape.onnx").write_bytes(onnx([external("layer.0.bias", (48,), "../../secret")]))
    (folder / "missing-data.onnx").write_bytes(onnx([external("layer.0.bias", (48,), "gone.bin")]))


def big():
    rng = random.Random(9)
    count = 16_000_000
    header = json.dumps({"w": {"dtype": "F32", "shape": [4000, 4000],
                               "data_offsets": [0, 4 * count]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + rng.randbytes(4 * count)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    base = tensors_of(1)
    first = tuned(base, 2)
    second = tuned(first, 3)
    wide = {**first, "extra.weight": ((4, 4), [0.5] * 16)}
    (folder / "base.safetensors").write_bytes(safetensors(base, {"format": "pt"}))
    (folder / "tuned.safetensors").write_bytes(safetensors(first, {"format": "pt"}))
    (folder / "tuned2.safetensors").write_bytes(safetensors(second, {"format": "pt"}))
    (folder / "wide.safetensors").write_bytes(safetensors(wide, {"format": "pt"}))
    (folder / "renamed.safetensors").write_bytes(safetensors(renamed(first)))
    (folder / "other.safetensors").write_bytes(
        safetensors({"a.b": ((7, 11), [float(i) for i in range(77)])}))
    (folder / "base.onnx").write_bytes(onnx_of(base))
    (folder / "tuned.onnx").write_bytes(onnx_of(first))
    write_folder(folder / "folder", base, "base")
    write_folder(folder / "folder2", first, "tuned")
    write_run(folder / "run", base)
    write_bad(folder / "bad", safetensors(base))
    if "--big" in sys.argv:
        (folder / "big.safetensors").write_bytes(big())


if __name__ == "__main__":
    main()
