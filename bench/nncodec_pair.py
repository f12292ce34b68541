#!/usr/bin/env python3
"""Codes the difference of two ONNX models with NNCodec (ISO/IEC 15938-17), for run_quantized.py.

    nncodec_pair.py BASE.onnx VARIANT.onnx --qp -40,-36 --out DIR

Each float initializer of VARIANT is paired with one of BASE: by name, with a module's prefix less, else
the next one of the same shape that the graph numbers anew. What has no partner is coded as it is.
For each quantization parameter one line of JSON: bytes of the bitstream (the graph is not counted),
seconds to encode and to decode, and two restored models in DIR: `plain`, and `unbiased`, whose
differences were scaled so that their projection on the true ones is right. Needs nncodec, onnx and
torch.
"""

import argparse
import contextlib
import json
import os
import sys
import time

import numpy as np
import onnx
from nncodec import nn
from onnx import numpy_helper


def paired(base, variant):
    """For each float initializer of `variant` its place, its values and its partner's."""
    by_name = {}
    numbered = []
    for tensor in base.graph.initializer:
        by_name[tensor.name] = tensor
        if tensor.name.startswith("onnx::"):
            numbered.append(tensor)
    for place, tensor in enumerate(variant.graph.initializer):
        if tensor.data_type != onnx.TensorProto.FLOAT:
            continue
        short = tensor.name.split(".", 1)[-1]
        partner = by_name.get(tensor.name) or by_name.get(short)
        if tensor.name.startswith("onnx::"):
            partner = next((t for t in numbered if t.dims == tensor.dims), None)
            if partner is not None:
                numbered.remove(partner)
        values = numpy_helper.to_array(tensor)
        if partner is not None and partner.dims == tensor.dims:
            yield place, values, numpy_helper.to_array(partner)
        else:
            yield place, values, np.zeros_like(values)


def restored(variant, tensors, decoded, path, is_unbiased):
    for place, values, parent in tensors:
        change = decoded[f"t{place}.weight"].reshape(values.shape).astype(np.float64)
        true = values.astype(np.float64) - parent
        overlap = (change * true).sum()
        if is_unbiased and overlap > 0:
            change *= min((true * true).sum() / overlap, 12)
        variant.graph.initializer[place].CopyFrom(numpy_helper.from_array(
            (parent + change).astype(np.float32), variant.graph.initializer[place].name))
    onnx.save(variant, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("variant")
    parser.add_argument("--qp", default="-40,-36,-34,-32")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    base, variant = onnx.load(options.base), onnx.load(options.variant)
    tensors = list(paired(base, variant))
    change = {f"t{place}.weight": values - parent for place, values, parent in tensors}
    for qp in map(int, options.qp.split(",")):
        with contextlib.redirect_stdout(sys.stderr):
            begin = time.monotonic()
            stream = nn.encode(change, {"qp": qp, "results": options.out, "verbose": False})
            middle = time.monotonic()
            decoded = nn.decode(stream)
            end = time.monotonic()
        paths = {kind: os.path.join(options.out, f"nncodec{qp}-{kind}.onnx")
                 for kind in ("plain", "unbiased")}
        for kind, path in paths.items():
            restored(variant, tensors, decoded, path, kind == "unbiased")
        print(json.dumps({"qp": qp, "bytes": len(stream), "encode": middle - begin,
                          "decode": end - middle, **paths}), flush=True)


main()
