"""K-quantised blocks as ggml's own quantiser makes them, for tst_k_blocks.

    python make_k_quantized.py LIBRARY > k_quantized.json

LIBRARY is a shared library that has ggml_quantize_chunk: libggml-base.so of llama-cpp-python, or the
extension module of xllamacpp. Needs NumPy and the package gguf, which decodes the blocks. Floats are
written as the hexadecimal of their 32 bits, blocks as that of their bytes; `squared` is the sum of
(x − x̃)² over each block. Made with ggml of xllamacpp 2026.10.11549, gguf 0.19.0 and NumPy 2.4.6.
"""

import ctypes
import json
import sys

import gguf
import numpy as np
from gguf.quants import dequantize

BLOCK = 256


def blocks():
    draw = np.random.default_rng(17)
    yield from draw.standard_normal((4, BLOCK)) * 0.05
    yield from draw.standard_t(2, (3, BLOCK)) * 0.02  # heavy tails, as weights have
    yield draw.uniform(3, 5, BLOCK)
    yield -draw.uniform(3, 5, BLOCK)
    yield draw.standard_normal(BLOCK) * (draw.random(BLOCK) < 0.2)  # pruned
    yield draw.standard_normal(BLOCK) * 2.0 ** (np.arange(BLOCK) // 32)
    yield np.full(BLOCK, 0.75)


def main():
    library = ctypes.CDLL(sys.argv[1])
    quantize = library.ggml_quantize_chunk
    quantize.restype = ctypes.c_size_t
    quantize.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
                         ctypes.c_int64, ctypes.c_void_p]
    values = np.array(list(blocks()), dtype=np.float32)
    types, squared = {}, {}
    for name in ("Q4_K", "Q5_K", "Q6_K"):
        kind = gguf.GGMLQuantizationType[name]
        made = np.zeros((len(values), gguf.GGML_QUANT_SIZES[kind][1]), dtype=np.uint8)
        written = quantize(kind, values.ctypes.data, made.ctypes.data, 0, len(values), BLOCK, None)
        assert written == made.nbytes
        types[name] = [block.tobytes().hex() for block in made]
        off = dequantize(made, kind).astype(np.float64) - values
        squared[name] = [float(error) for error in (off ** 2).sum(axis=1)]
    bits = [["%08x" % b for b in row.view(np.uint32)] for row in values]
    print(json.dumps({"values": bits, "blocks": types, "squared": squared}))


if __name__ == "__main__":
    main()
