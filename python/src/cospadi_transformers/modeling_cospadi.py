# SPDX-License-Identifier: Apache-2.0
"""Language models whose linear layers are stored compressed, for transformers.

A folder written by `cospadi export --format hf-factors` holds, in place of the weights that were
compressed, what they were compressed to: a dictionary and sparse codes, two factors of low rank,
group-quantised integers, or what pruning has left. This file turns them back into layers. All else
(attention, caches, generation) is the architecture's own class in transformers, of which the
classes below are subclasses with their linear layers replaced.

This is one file without relatives on purpose: an export carries a copy of it, which
`AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True)` runs. Correct first, fast
second: factors are decoded with plain torch and applied as dense products.

Layout. A tensor named `left` or `dictionary` has a row for a column of the paper's matrix, bits are
packed from the low end of every byte, and W (d1, d2) maps inputs to outputs, y = x W: what
torch.nn.Linear holds is its transpose (d2, d1). The tensors of each form stand in docs/formats.md
of the CoSpaDi Workbench.
"""

import itertools
import math

import torch
import torch.nn.functional as F
from torch import nn
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

# Of the object `cospadi` of config.json; another one is refused.
FORMAT = 1

_DTYPES = {
    "BF16": torch.bfloat16,
    "F16": torch.float16,
    "I8": torch.int8,
    "U8": torch.uint8,
}


# ---- numbers out of bits


def unpack_bits(stream, bits, count):
    """`count` numbers of `bits` (1 to 16) bits each, as int64: bit b of number i is bit i*bits + b."""
    if stream.numel() != (count * bits + 7) // 8:
        raise ValueError(f"{stream.numel()} bytes are not {count} numbers of {bits} bits")
    if bits == 8:
        return stream.long()
    if bits == 1:
        places = torch.arange(8, device=stream.device, dtype=torch.uint8)
        return ((stream[:, None] >> places) & 1).flatten()[:count].long()
    padded = F.pad(stream.long(), (0, 2))  # a number spans three bytes at most
    begin = torch.arange(count, device=stream.device) * bits
    byte = begin >> 3
    window = padded[byte] | padded[byte + 1] << 8 | padded[byte + 2] << 16
    return (window >> (begin & 7)) & ((1 << bits) - 1)


def _bfloat16_of(patterns):
    """The float32 values of bfloat16 bit patterns 0 … 65535."""
    signed = torch.where(patterns >= 1 << 15, patterns - (1 << 16), patterns)
    return signed.to(torch.int16).view(torch.bfloat16).float()


def _scaled(values, exponents):
    """values * 2^exponents, integers of -149 to 127, exactly.

    torch.ldexp's powers of integers have torch's default type, which may be too narrow for them.
    """
    powers = [2.0**e for e in range(-149, 128)]
    powers = torch.tensor(powers, dtype=torch.float32, device=values.device)
    return values * powers[exponents.long() + 149]


def _short_floats(bits, device):
    """The values of all patterns of a float of 8 to 15 bits with a short exponent.

    Sign, max(3, bits - 8) bits of exponent field f, M bits of mantissa m: ±2^(f - F) (1 + m / 2^M)
    with F the largest field, or ±2^(1 - F) m / 2^M where f is 0.
    """
    exponent_bits = max(3, bits - 8)
    mantissa_bits = bits - 1 - exponent_bits
    largest = (1 << exponent_bits) - 1
    pattern = torch.arange(1 << bits, device=device)
    field = (pattern >> mantissa_bits) & largest
    mantissa = (pattern & ((1 << mantissa_bits) - 1)) + ((field > 0).long() << mantissa_bits)
    exponent = field.clamp(min=1) - largest - mantissa_bits
    size = _scaled(mantissa.float(), exponent)
    return torch.where(pattern >> (bits - 1) == 1, -size, size)


def coefficients(stream, spec, count):
    """Coefficients as `spec` says that they are stored: bfloat16, or fewer bits, packed."""
    bits = spec["coefficient_bits"]
    if bits == 16:
        if stream.numel() != count:
            raise ValueError(f"{stream.numel()} values are there, {count} belong there")
        return stream.float()
    patterns = unpack_bits(stream, bits, count)
    if spec["coefficient_format"] == "short-exponent":
        return _short_floats(bits, stream.device)[patterns]
    return _bfloat16_of(patterns << (16 - bits))


def _integers(tensors, name, bits, counts):
    """Columns of integers with a half-step for every run: `counts` entries of each, one after another.

    Entry t of n in a column belongs to run ((t + 1) q - 1) // n of its q, and integer c stands for
    half-step * (2 c + 1 - 2^bits), rounded to bfloat16.
    """
    half_steps = tensors[name + "_scales"].float()  # (columns, q)
    total = int(counts.sum())
    codes = unpack_bits(tensors[name], bits, total)
    column = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
    place = torch.arange(total, device=counts.device) - (counts.cumsum(0) - counts)[column]
    run = ((place + 1) * half_steps.shape[1] - 1) // counts[column]
    return (half_steps[column, run] * (2 * codes + 1 - (1 << bits))).bfloat16().float()


def _dense_integers(tensors, name, bits, rows):
    """The same of columns with all of their entries, as rows."""
    columns = tensors[name + "_scales"].shape[0]
    counts = torch.full((columns,), rows, device=tensors[name].device)
    return _integers(tensors, name, bits, counts).view(columns, rows)


def _are_integers(spec):
    return spec["coefficient_format"] == "integers"


def _dynamic_values(device):
    """The 256 values, ascending, of Dettmers' signed dynamic data type in 8 bits."""
    values = [0.0, 1.0]
    for e in range(7):
        for i in range(1 << e):
            midpoint = (0.1 + 0.9 * (i + 0.5) / (1 << e)) * 10.0 ** (e - 6)
            values += [midpoint, -midpoint]
    return torch.tensor(sorted(values), dtype=torch.float32, device=device)


# ---- forms: of tensors as they are stored, the weights of one or two linear maps, in their order


def _columns(tensors, name):
    """Columns of 16 bits, or of bytes with an exponent each, as rows."""
    values = tensors[name].float()
    if tensors[name].dtype == torch.int8:
        values = _scaled(values, tensors["exponents"][:, None])
    return values


def _code_mask(stream, spec, k, columns):
    """Which of k * columns codes have values: a bit each, or N of every M by the number of a group's choice."""
    group, kept = spec.get("group", 0), spec.get("kept", 0)
    if group == 0:
        return unpack_bits(stream, 1, k * columns).bool()
    # Numbered as they ascend.
    choices = sorted(sum(1 << i for i in c) for c in itertools.combinations(range(group), kept))
    places = torch.tensor([[c >> i & 1 for i in range(group)] for c in choices], device=stream.device)
    bits = (len(choices) - 1).bit_length()
    return places.bool()[unpack_bits(stream, bits, k * columns // group)].flatten()


def _sparse_dictionary(tensors, spec):
    over_inputs = spec["side"] == "input"
    # (k, d1), or (k, d2) of a dictionary over the outputs
    if _are_integers(spec):
        rows = spec["d1"] if over_inputs else spec["d2"]
        atoms = _dense_integers(tensors, "dictionary", spec["dictionary_bits"], rows)
    else:
        atoms = _columns(tensors, "dictionary")
    k = atoms.shape[0]
    columns = spec["d2"] if over_inputs else spec["d1"]
    mask = _code_mask(tensors["mask"], spec, k, columns)
    codes = torch.zeros(k * columns, dtype=torch.float32, device=atoms.device)
    if _are_integers(spec):
        counts = mask.view(columns, k).sum(1)
        codes[mask] = _integers(tensors, "values", spec["coefficient_bits"], counts)
    else:
        codes[mask] = coefficients(tensors["values"], spec, int(mask.sum()))
    codes = codes.view(columns, k)
    # W = D S, else W = (D S)^T.
    return [atoms, codes] if over_inputs else [codes.T, atoms.T]


def _low_rank(tensors, spec):
    if _are_integers(spec):
        left = _dense_integers(tensors, "left", spec["dictionary_bits"], spec["d1"])
        rank = left.shape[0]
        return [left, _dense_integers(tensors, "right", spec["coefficient_bits"], rank)]
    left = _columns(tensors, "left")  # (r, d1)
    right = tensors["right"]
    if spec["coefficient_bits"] != 16:
        rank = left.shape[0]
        right = coefficients(right, spec, rank * spec["d2"]).view(spec["d2"], rank)
    return [left, right.float()]


def _remapped_columns(tensors, side):
    codes = tensors[side + "_codes"]
    scales = tensors[side + "_scales"].float().view(-1, 1)
    values = (scales * _dynamic_values(codes.device)[codes.long()]).bfloat16().float()
    rest = tensors.get(side + "_rest")
    return values if rest is None else torch.cat([values, rest.float()], 1)


def _remapped_low_rank(tensors, spec):
    return [_remapped_columns(tensors, "left"), _remapped_columns(tensors, "right").T]


def _group_quantised(tensors, spec):
    bits, size = spec["bits"], spec["group_size"]
    d1, d2 = spec["d1"], spec["d2"]
    codes = unpack_bits(tensors["codes"], bits, d1 * d2).view(d2, d1 // size, size).float()
    scales = tensors["scales"].float()[:, :, None]
    if "minimums" in tensors:
        weight = scales * codes + tensors["minimums"].float()[:, :, None]
    else:
        weight = scales * (codes - (1 << (bits - 1)))
    return [weight.view(d2, d1)]


def _pruned(tensors, spec):
    d1, d2 = spec["d1"], spec["d2"]
    values = tensors["values"].float()
    weight = torch.zeros(d2 * d1, dtype=torch.float32, device=values.device)
    if spec["group"] == 0:
        where = unpack_bits(tensors["mask"], 1, d1 * d2).nonzero().flatten()
    else:
        group, kept = spec["group"], spec["kept"]
        count = d1 * d2 // group * kept
        places = unpack_bits(tensors["places"], math.ceil(math.log2(group)), count)
        groups = torch.arange(d1 * d2 // group, device=values.device)
        where = groups.repeat_interleave(kept) * group + places
    if where.numel() != values.numel():
        raise ValueError(f"{values.numel()} values are there, {where.numel()} belong there")
    weight[where] = values
    return [weight.view(d2, d1)]


_FORMS = {
    "sparse-dictionary": _sparse_dictionary,
    "low-rank": _low_rank,
    "remapped-low-rank": _remapped_low_rank,
    "group-quantised": _group_quantised,
    "pruned": _pruned,
}


# ---- modules


class _StoredTensors(nn.Module):
    """Tensors in the types that they are stored in, which `.half()` and its like leave as they are."""

    def __init__(self, tensors):
        super().__init__()
        for name, (dtype, shape) in tensors.items():
            if dtype not in _DTYPES:
                raise ValueError(f"tensor {name} has the type {dtype}, which no form has")
            self.register_buffer(name, torch.empty(shape, dtype=_DTYPES[dtype]))

    def _apply(self, fn, recurse=True):
        stored = {name: buffer.dtype for name, buffer in self._buffers.items()}
        before = dict(self._buffers)
        super()._apply(fn, recurse)
        for name, dtype in stored.items():
            if self._buffers[name].dtype != dtype:
                self._buffers[name] = before[name].to(self._buffers[name].device)
        return self


class FactoredLinear(_StoredTensors):
    """y = x W + b, W stored as `spec` says (an entry of `layers` in config.json).

    shared: the module of the factor that this layer has in common with others, or None.
    keep_decoded: decode at the first call and keep the result, else at every call.
    """

    def __init__(self, spec, bias, shared=None, keep_decoded=True):
        if spec["form"] not in _FORMS:
            raise ValueError(f"the form {spec['form']} is unknown; this file knows {list(_FORMS)}")
        super().__init__(spec["tensors"])
        self.spec = spec
        self.in_features = spec["d1"]
        self.out_features = spec["d2"]
        self.bias = nn.Parameter(torch.empty(self.out_features)) if bias else None
        self.keep_decoded = keep_decoded
        self._shared = (shared,)  # in a tuple: the model holds it once, not every layer
        self._decoded = None

    def _apply(self, fn, recurse=True):
        self._decoded = None
        return super()._apply(fn, recurse)

    def _load_from_state_dict(self, *args, **kwargs):
        self._decoded = None
        super()._load_from_state_dict(*args, **kwargs)

    def stored_tensors(self):
        tensors = dict(self._buffers)
        if self._shared[0] is not None:
            where = next(iter(tensors.values())).device
            for name, tensor in self._shared[0]._buffers.items():
                tensors[name] = tensor.to(where)
        return tensors

    @torch.no_grad()
    def maps(self):
        """Weights, (outputs, inputs) each and float32, of the linear maps that make this layer."""
        return _FORMS[self.spec["form"]](self.stored_tensors(), self.spec)

    def recomposed(self):
        """W^T (d2, d1), as torch.nn.Linear would hold it, float32."""
        maps = self.maps()
        return maps[0] if len(maps) == 1 else maps[1] @ maps[0]

    def forward(self, x):
        maps = self._decoded
        if maps is None or maps[0].dtype != x.dtype or maps[0].device != x.device:
            # Tensors made in inference mode could not be used for a gradient later.
            with torch.inference_mode(False):
                maps = [m.to(x.device, x.dtype).contiguous() for m in self.maps()]
            self._decoded = maps if self.keep_decoded else None
        for weight in maps[:-1]:
            x = F.linear(x, weight)
        return F.linear(x, maps[-1], self.bias)

    def extra_repr(self):
        return f"{self.in_features}, {self.out_features}, form={self.spec['form']}"


def _replace_linears(model, stored, keep_decoded):
    if stored.get("format") != FORMAT:
        raise ValueError(
            f"config.json has format {stored.get('format')} of factored layers, this file knows "
            f"{FORMAT}; install a newer cospadi-transformers, or export again"
        )
    model.shared_factors = nn.ModuleList(_StoredTensors(u["tensors"]) for u in stored["shared"])
    for name, spec in stored["layers"].items():
        parent, _, child = name.rpartition(".")
        linear = getattr(model.get_submodule(parent), child)
        if (linear.in_features, linear.out_features) != (spec["d1"], spec["d2"]):
            raise ValueError(
                f"{name} is {linear.in_features} x {linear.out_features} in this architecture and "
                f"{spec['d1']} x {spec['d2']} in config.json"
            )
        shared = model.shared_factors[spec["shared"]] if "shared" in spec else None
        setattr(
            model.get_submodule(parent),
            child,
            FactoredLinear(spec, linear.bias is not None, shared, keep_decoded),
        )


def count_factored(model):
    return sum(isinstance(module, FactoredLinear) for module in model.modules())


def require_factored(model, count):
    """Raises where a model has no factored layers, or others than `count` of them."""
    found = count_factored(model)
    if found == 0:
        raise ValueError("no layer of this model is factored: its config.json names none")
    if found != count:
        raise ValueError(f"{found} layers are factored, config.json says that {count} are")


class _Factored:
    """What the classes below have in common, before their architecture's class."""

    def __init__(self, config, *args, **kwargs):
        super().__init__(config, *args, **kwargs)
        stored = getattr(config, "cospadi", None)
        if not isinstance(stored, dict):
            raise ValueError("config.json has no object `cospadi`: not an export of factors")
        _replace_linears(self, stored, config.keep_decoded)
        require_factored(self, stored["count"])

    @classmethod
    def from_pretrained(cls, *args, output_loading_info=False, **kwargs):
        """As in transformers, but that a tensor too few or too many is an error, not a warning."""
        model, info = super().from_pretrained(*args, output_loading_info=True, **kwargs)
        for problem in ("missing_keys", "unexpected_keys", "mismatched_keys"):
            if info.get(problem):
                names = sorted(str(name) for name in info[problem])
                raise ValueError(
                    f"the files do not fit config.json: {len(names)} {problem.replace('_', ' ')}, "
                    f"the first {names[0]}; export again"
                )
        require_factored(model, model.config.cospadi["count"])
        return (model, info) if output_loading_info else model


class _FactoredConfig:
    """Before the configuration of the architecture: what from_pretrained() takes besides."""

    keep_decoded = True  # of FactoredLinear


class CospadiLlamaConfig(_FactoredConfig, LlamaConfig):
    model_type = "cospadi_llama"


class CospadiMistralConfig(_FactoredConfig, MistralConfig):
    model_type = "cospadi_mistral"


class CospadiQwen2Config(_FactoredConfig, Qwen2Config):
    model_type = "cospadi_qwen2"


class CospadiQwen3Config(_FactoredConfig, Qwen3Config):
    model_type = "cospadi_qwen3"


class CospadiLlamaForCausalLM(_Factored, LlamaForCausalLM):
    config_class = CospadiLlamaConfig


class CospadiMistralForCausalLM(_Factored, MistralForCausalLM):
    config_class = CospadiMistralConfig


class CospadiQwen2ForCausalLM(_Factored, Qwen2ForCausalLM):
    config_class = CospadiQwen2Config


class CospadiQwen3ForCausalLM(_Factored, Qwen3ForCausalLM):
    config_class = CospadiQwen3Config
