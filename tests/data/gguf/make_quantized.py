"""Blocks as the Python package `gguf` quantises them, for tst_block_quantizer.

    python make_quantized.py > quantized.json

Needs gguf and NumPy. Floats are written as the hexadecimal of their 32 bits, blocks as that of their
bytes. Made with gguf 0.19.0 and NumPy 2.4.6.
"""

import json

import gguf
import numpy as np
from gguf.quants import quantize


def rows():
    draw = np.random.default_rng(7)
    normal = draw.standard_normal((40, 32))
    yield from normal
    yield from draw.standard_normal((10, 32)) * 10.0 ** np.arange(-5, 5)[:, None]
    yield from draw.standard_t(2, (10, 32)) * 0.02  # heavy tails, as weights have
    yield np.zeros(32)
    yield np.full(32, 0.75)
    yield np.full(32, -0.75)
    yield np.where(np.arange(32) % 2, 1.0, -1.0)  # of two as large the first decides
    yield np.where(np.arange(32) % 2, -1.0, 1.0)
    yield np.arange(32) - 16.0
    yield np.arange(32) * 0.5  # halves, to be rounded
    yield np.abs(draw.standard_normal(32)) + 3
    yield np.eye(1, 32, 5)[0] * -2
    yield np.full(32, 1e-9)


def main():
    values = np.array(list(rows()), dtype=np.float32)
    types = {}
    for name in ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"):
        blocks = quantize(values, gguf.GGMLQuantizationType[name])
        types[name] = [block.tobytes().hex() for block in blocks]
    bits = [["%08x" % b for b in row.view(np.uint32)] for row in values]
    print(json.dumps({"values": bits, "blocks": types}))


if __name__ == "__main__":
    main()
