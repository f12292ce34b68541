strata init -q >/dev/null
torch=$EXAMPLES/../tests/data/pytorch/2.15
show() { python3 - "$@" <<'PY'
import struct, sys
for name in sys.argv[1:]:
    data = open(f"out/{name}.npy", "rb").read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    kind = {"<f4": "f", "<f8": "d", "<i8": "q"}[data[10:end].decode().split("'descr': '")[1][:3]]
    shape = data[10:end].decode().split("'shape': ")[1].split(")")[0] + ")"
    values = struct.unpack(f"<{(len(data) - end) // struct.calcsize(kind)}{kind}", data[end:])
    print(name, shape, *(f"{value:g}" for value in values[:6]))
PY
}
echo "- views of PyTorch have the shapes and values that PyTorch shows"
strata add views $torch/views.pt -q >/dev/null
strata restore views --tensor turned --tensor columns --tensor images --tensor again --tensor middle -o out -q >/dev/null
show turned columns images again middle
strata restore views --tensor expanded -o other; echo "exit $?"
strata restore views --tensor 'e*' --tensor tied -o other -q; echo "exit $?"
strata restore views --tensor nothing -o other; echo "exit $?"
echo "- so have arrays in the order of Fortran"
strata add arrays $torch/arrays.npz -q >/dev/null
strata restore arrays --tensor columns --tensor text -o out -f
show columns
echo "- and the parts of a distributed checkpoint"
strata add dcp $torch/dcp -q >/dev/null
strata restore dcp --tensor model.0.weight -o out -q >/dev/null
show model.0.weight
