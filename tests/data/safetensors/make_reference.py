"""Files made by the Python package `safetensors`, and what it reads from them.

    python make_reference.py            (writes beside itself; needs safetensors and numpy)
    python make_reference.py FILE       (prints as JSON what the package reads from FILE)

reference.safetensors has every element type that the engine knows, a scalar, an empty tensor,
awkward names and metadata. expected.json: dtype, shape and SHA-256 of the bytes of each tensor.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np
import safetensors
from safetensors import safe_open

HERE = pathlib.Path(__file__).parent


def describe(path):
    content = pathlib.Path(path).read_bytes()
    tensors = {}
    for name, info in safetensors.deserialize(content):  # validates, gives raw bytes
        tensors[name] = {"dtype": info["dtype"], "shape": list(info["shape"]),
                         "sha256": hashlib.sha256(bytes(info["data"])).hexdigest()}
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
    return {"tensors": tensors, "metadata": metadata}


def make(path):
    rng = np.random.default_rng(20261121)
    sizes = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4,
             "int16": 2, "int8": 1, "uint8": 1}
    tensors = {}
    for index, (dtype, size) in enumerate(sizes.items()):
        shape = [[3, 5], [7], [2, 2, 3]][index % 3]
        data = rng.integers(0, 256, int(np.prod(shape)) * size, dtype=np.uint8).tobytes()
        tensors["t." + dtype] = {"dtype": dtype, "shape": shape, "data": data}
    tensors["t.bool"] = {"dtype": "bool", "shape": [4], "data": bytes([1, 0, 0, 1])}
    tensors["scalar"] = {"dtype": "float32", "shape": [], "data": np.float32(-0.0).tobytes()}
    tensors["empty"] = {"dtype": "float16", "shape": [3, 0, 2], "data": b""}
    tensors['a "quoted"\\name\nüber 日本'] = {"dtype": "uint8", "shape": [1], "data": b"\xff"}
    metadata = {"format": "pt", "a key": 'value "with" \\ \u0001 and 😀', "empty": ""}
    arrays = {name: np.frombuffer(t["data"], np.uint8) for name, t in tensors.items()}
    specs = {name: safetensors.TensorSpec(dtype=t["dtype"], shape=t["shape"],
                                          data_ptr=arrays[name].ctypes.data,
                                          data_len=arrays[name].nbytes)
             for name, t in tensors.items()}
    safetensors.serialize_file(specs, path, metadata)
    path.chmod(0o644)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(describe(sys.argv[1])))
    else:
        make(HERE / "reference.safetensors")
        found = describe(HERE / "reference.safetensors")
        (HERE / "expected.json").write_text(json.dumps(found, indent=1) + "\n")
