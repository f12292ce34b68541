"""Arrays of each kind, those that cannot be taken, and what numpy and torch get back."""

import array
import subprocess
import sys

import numpy
import pytest
import strata
from conftest import base_model, equal


def refused(store, model, *words):
    """Adding it raises ArrayError or ArgumentError with all of these words, and stores nothing."""
    with pytest.raises(strata.ArgumentError) as caught:
        store.add("model", model)
    for word in words:
        assert word in str(caught.value)
    assert caught.value.code == 2 and caught.value.fix
    assert store.versions() == []


@pytest.mark.parametrize(
    "dtype",
    [
        "float16",
        "float32",
        "float64",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "bool",
        "complex64",
    ],
)
def test_keeps_each_type_of_numpy(store, dtype):
    model = {"a": numpy.arange(60).reshape(3, 4, 5).astype(dtype), "b": numpy.array(1, dtype=dtype)}
    store.add("model", model)
    assert equal(store.load("model"), model)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_keeps_types_of_ml_dtypes(store, dtype):
    ml_dtypes = pytest.importorskip(
        "ml_dtypes", reason="ml_dtypes is missing: scripts/setup python"
    )
    model = {
        "a": numpy.arange(12).reshape(3, 4).astype(getattr(ml_dtypes, dtype)),
        "b": numpy.ones((), getattr(ml_dtypes, dtype)),
    }
    store.add("model", model)
    assert equal(store.load("model"), model)


def test_gives_words_with_a_warning_where_numpy_lacks_a_type(store):
    ml_dtypes = pytest.importorskip(
        "ml_dtypes", reason="ml_dtypes is missing: scripts/setup python"
    )
    model = {"a": numpy.arange(12).astype(ml_dtypes.bfloat16)}
    store.add("model", model)
    script = (
        "import sys; sys.modules['ml_dtypes'] = None  # as if it were not installed\n"
        "import strata, warnings\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        f"    words = strata.Store({store.path!r}).load('model')['a']\n"
        "print(words.dtype, words.tobytes().hex(), said[0].message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, text=True, capture_output=True
    )
    dtype, words, said = done.stdout.split(" ", 2)
    assert dtype == "uint16" and bytes.fromhex(words) == model["a"].tobytes()
    assert said.startswith("a is bfloat16, which numpy lacks") and "uint16" in said


def test_keeps_arrays_without_elements(store):
    model = base_model() | {"empty": numpy.empty((0, 3), "float32"), "flat": numpy.empty(0, "int8")}
    store.add("model", model)
    loaded = store.load("model")
    assert {name: (one.shape, one.dtype) for name, one in loaded.items()} == {
        name: (numpy.shape(one), one.dtype) for name, one in model.items()
    }


def test_takes_what_speaks_the_buffer_protocol(store):
    store.add(
        "model", {"a": array.array("d", [1, 2, 3]), "b": memoryview(b"abcd").cast("B", (2, 2))}
    )
    loaded = store.load("model")
    assert loaded["a"].tolist() == [1, 2, 3] and loaded["b"].tobytes() == b"abcd"
    assert loaded["b"].shape == (2, 2)


def test_takes_pairs_of_names_and_arrays(store):
    store.add("model", base_model().items())
    store.add("model", ((name, one) for name, one in base_model().items()))
    assert equal(store.load("model"), base_model()) and len(store.versions()) == 1


def test_refuses_what_is_not_contiguous(store):
    refused(store, {"w": numpy.ones((3, 4)).T}, "w: is not contiguous", "ascontiguousarray")
    refused(store, {"w": numpy.ones((3, 4))[:, ::2]}, "w: is not contiguous")
    refused(store, {"w": numpy.broadcast_to(numpy.float32(1), (3, 4))}, "w: is not contiguous")
    refused(store, {"w": memoryview(array.array("d", range(9)))[::2]}, "w: is not contiguous")


def test_refuses_types_that_are_no_numbers(store):
    refused(store, {"w": numpy.array(["text"])}, "w: has elements of type <U4")
    refused(store, {"w": numpy.array([object()])}, "w: has elements of type object")
    refused(store, {"w": numpy.zeros(3, "datetime64[s]")}, "w: has elements of type datetime64")
    refused(store, {"w": numpy.zeros(3, "f4,i4")}, "w: has elements of type")
    refused(store, {"w": numpy.ones(3, ">f4")}, "w: is big-endian", "newbyteorder")


def test_refuses_what_is_no_array(store):
    refused(store, {"w": [1, 2]}, "w: is a list, and no array", "numpy.asarray")
    refused(store, {"w": None}, "w: is a NoneType")
    refused(store, {"w": "text"}, "w: is a str")
    refused(store, {"w": 3.5}, "w: is a float")
    refused(store, {3: numpy.ones(2)}, "the name of an array is 3")
    refused(store, [numpy.ones(2)], "a pair of a name and an array")
    refused(store, {}, "no arrays")
    refused(store, 5, "the model is a int", "state_dict")


def test_refuses_equal_and_odd_names(store):
    refused(
        store, [("w", numpy.ones(2)), ("w", numpy.ones(2))], "w: there are two arrays of this name"
    )
    for name in ("__metadata__", "x" * 5000):
        with pytest.raises(strata.ArgumentError):
            store.add("model", {name: numpy.ones(2)})
    with pytest.raises((strata.ArgumentError, UnicodeError, TypeError)):
        store.add("model", {"\udcff": numpy.ones(2)})
    assert store.versions() == []


def test_refuses_arrays_on_a_device(store):
    class OnDevice:
        device = "gpu:0"

        def __dlpack_device__(self):
            return 2, 0

    refused(store, {"w": OnDevice()}, "w: is on a device, gpu:0", "device_get")


def test_an_array_that_lies_about_itself_is_refused(store):
    class Broken:
        def __dlpack__(self, **_):
            raise RuntimeError("no")

        def __dlpack_device__(self):
            return 1, 0

    refused(store, {"w": Broken()}, "w: is a Broken")


def test_keeps_tensors_of_torch(store):
    torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
    model = {
        "bf16": torch.randn(5, 7).bfloat16(),
        "half": torch.randn(3).half(),
        "bool": torch.tensor([True, False]),
        "scalar": torch.tensor(2.5),
        "parameter": torch.nn.Parameter(torch.randn(4, 3)),
        "empty": torch.empty(0, 2),
        "int": torch.arange(6).reshape(2, 3),
    }
    store.add("model", model)
    loaded = store.load("model", framework="torch")
    assert list(sorted(loaded)) == list(sorted(model))
    for name, tensor in model.items():
        assert loaded[name].dtype == tensor.dtype and loaded[name].shape == tensor.shape
        assert torch.equal(loaded[name], tensor.detach())


def test_refuses_odd_tensors_of_torch(store):
    torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
    refused(store, {"w": torch.ones(3, 4).t()}, "w: is not contiguous", "tensor.contiguous()")
    refused(store, {"w": torch.ones(3, device="meta")}, "w: is on a device, meta", "tensor.cpu()")
    refused(store, {"w": torch.ones(3, 4).to_sparse()}, "w: is a tensor of layout", "to_dense")
    refused(
        store, {"w": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)}, "quantized"
    )
    refused(store, {"w": torch.ones(3, dtype=torch.complex64).conj()}, "conjugates")


def test_torch_is_told_what_it_lacks(store):
    torch = pytest.importorskip("torch", reason="torch is missing: scripts/setup demo-large")
    if hasattr(torch, "uint16"):
        pytest.skip("this torch has uint16")
    store.add("model", {"w": numpy.ones(3, "uint16")})
    with pytest.raises(
        strata.ArrayError, match="w: has elements of type u16, which torch .* lacks"
    ):
        store.load("model", framework="torch")


def test_keeps_arrays_of_jax(store):
    jax = pytest.importorskip("jax", reason="jax is missing: nothing of it was tested")
    model = {"f32": jax.numpy.arange(6.0).reshape(2, 3), "bf16": jax.numpy.ones(3, "bfloat16")}
    store.add("model", model)
    assert equal(store.load("model"), {name: numpy.asarray(one) for name, one in model.items()})


def test_keeps_weights_of_keras(store):
    keras = pytest.importorskip("keras", reason="keras is missing: nothing of it was tested")
    if int(keras.__version__.split(".")[0]) < 3:
        pytest.skip("keras 3 is missing: nothing of it was tested")
    layers = keras.layers
    network = keras.Sequential([layers.Input((10,)), layers.Dense(20), layers.Dense(3)])
    store.add("keras", {weight.path: weight.value for weight in network.weights})
    back = store.load("keras")
    for weight in network.weights:
        assert (numpy.asarray(weight.value) == back[weight.path]).all()
        weight.assign(back[weight.path])
