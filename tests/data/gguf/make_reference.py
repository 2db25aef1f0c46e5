"""GGUF files made by the Python package `gguf`, and what it reads from them.

    python make_reference.py            (writes beside itself; needs gguf and safetensors)

blocks_v3.gguf        every supported type; the quantised tensors are random raw bytes, a third of
                      the blocks with edge scales (subnormal, zero, negative zero, infinite, NaN)
blocks_v2_align64.gguf  version 2, alignment 64, two types, tensors of one to four dimensions
expected.safetensors  the float32 values that gguf.quants.dequantize gives, "FILE/TENSOR"
expected.json         metadata and tensor directory as GGUFReader tells them
"""

import hashlib
import json
import pathlib

import numpy as np
from gguf import GGUFReader, GGUFWriter
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as Kind, GGUFValueType
from gguf.quants import dequantize
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).parent
SUBNORMAL, LARGEST_SUBNORMAL, TINY = 0x0001, 0x03FF, 0x0400
EDGES = [SUBNORMAL, LARGEST_SUBNORMAL, TINY, 0x0000, 0x8000, 0x8001, 0x7BFF, 0xFBFF, 0x7C00,
         0xFC00, 0x7E00, 0xFE01, 0x3C00]
# Byte offsets of the half-precision scales in a block.
SCALES = {Kind.Q4_0: [0], Kind.Q4_1: [0, 2], Kind.Q5_0: [0], Kind.Q5_1: [0, 2], Kind.Q8_0: [0],
          Kind.Q2_K: [80, 82], Kind.Q3_K: [108], Kind.Q4_K: [0, 2], Kind.Q5_K: [0, 2],
          Kind.Q6_K: [208]}


def blocks(kind, rng):
    """(rows, bytes a row) of raw bytes: rows of two blocks."""
    elements, size = GGML_QUANT_SIZES[kind]
    count = 80 if elements == 32 else 40
    raw = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for i in range(count):
        for at, offset in enumerate(SCALES[kind]):
            if i % 3 == 0:
                value = EDGES[(i // 3 + 5 * at) % len(EDGES)]
            elif i % 3 == 1:
                value = np.float16(rng.normal() * 0.05).view(np.uint16)
            else:
                continue  # any sixteen bits
            raw[i, offset:offset + 2] = np.frombuffer(np.uint16(value).tobytes(), np.uint8)
    return raw.reshape(count // 2, 2 * size)


def v3(path, rng):
    writer = GGUFWriter(path, "llama")
    writer.add_name("blöcke")
    for name, value in (("u8", 200), ("u16", 60000), ("u32", 4000000000), ("u64", 1 << 62)):
        getattr(writer, "add_uint" + name[1:])("t." + name, value)
    for name, value in (("i8", -100), ("i16", -30000), ("i32", -2000000000), ("i64", -(1 << 62))):
        getattr(writer, "add_int" + name[1:])("t." + name, value)
    writer.add_float32("t.f32", 0.1)
    writer.add_float64("t.f64", 0.1)
    writer.add_bool("t.true", True)
    writer.add_bool("t.false", False)
    writer.add_string("t.empty", "")
    writer.add_array("t.strings", ["a", "", "日本", "x" * 300])
    writer.add_array("t.ints", [1, -2, 2000000000])
    writer.add_array("t.floats", [0.5, -1e30])
    writer.add_array("t.bools", [True, False, True])
    bits = rng.integers(0, 1 << 16, 96).astype(np.uint16)
    bits[:len(EDGES)] = EDGES
    writer.add_tensor("f16", bits.view(np.float16).reshape(6, 16))
    writer.add_tensor("f32", rng.integers(0, 1 << 32, 40, dtype=np.uint64).astype(np.uint32)
                      .view(np.float32).reshape(2, 4, 5))
    writer.add_tensor("bf16", bits.view(np.uint8).reshape(6, 32), raw_dtype=Kind.BF16)
    for kind in SCALES:
        writer.add_tensor(kind.name, blocks(kind, rng), raw_dtype=kind)
    finish(writer)


def v2(path, rng):
    writer = GGUFWriter(path, "llama")
    writer.add_custom_alignment(64)
    writer.add_tensor("one", rng.standard_normal(3).astype(np.float32))
    writer.add_tensor("two", blocks(Kind.Q8_0, rng), raw_dtype=Kind.Q8_0)
    writer.add_tensor("four", rng.standard_normal((2, 3, 1, 5)).astype(np.float32))
    finish(writer)
    content = bytearray(path.read_bytes())
    assert content[4:8] == b"\3\0\0\0"  # the layout of versions 2 and 3 is the same
    content[4:8] = b"\2\0\0\0"
    path.write_bytes(content)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def describe(path, values):
    reader = GGUFReader(path)
    tensors = []
    for tensor in reader.tensors:
        with np.errstate(all="ignore"):
            widened = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        shape = [int(n) for n in tensor.shape[::-1]]
        values[f"{path.name}/{tensor.name}"] = np.ascontiguousarray(widened).reshape(shape)
        tensors.append({"name": tensor.name, "type": tensor.tensor_type.name, "shape": shape,
                        "offset": int(tensor.data_offset), "bytes": int(tensor.n_bytes),
                        "sha256": hashlib.sha256(tensor.data.tobytes()).hexdigest()})
    metadata = {}
    for key, field in reader.fields.items():
        if key.startswith("GGUF."):
            continue
        value = field.contents()
        kinds = [kind.name for kind in field.types]
        metadata[key] = {"types": kinds, "value": value}
    return {"version": int(reader.fields["GGUF.version"].contents()), "tensors": tensors,
            "metadata": metadata}


def all_halves():
    """SHA-256 of the float32 values of all 65536 halves, NaNs as zero."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    half = dequantize(bits.view(np.float16), Kind.F16).astype(np.float32)
    brain = dequantize(bits.view(np.uint8), Kind.BF16).astype(np.float32)
    return {name: hashlib.sha256(np.where(np.isnan(x), np.float32(0), x).tobytes()).hexdigest()
            for name, x in (("F16", half), ("BF16", brain))}


if __name__ == "__main__":
    generator = np.random.default_rng(20261121)
    expected, floats = {}, {}
    for name, make in (("blocks_v3.gguf", v3), ("blocks_v2_align64.gguf", v2)):
        make(HERE / name, generator)
        expected[name] = describe(HERE / name, floats)
    expected["all_sixteen_bit_values_sha256"] = all_halves()
    save_file(floats, HERE / "expected.safetensors")
    (HERE / "expected.safetensors").chmod(0o644)
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    assert {t["type"] for t in expected["blocks_v3.gguf"]["tensors"]} >= {k.name for k in SCALES}
