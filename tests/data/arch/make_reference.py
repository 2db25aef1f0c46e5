"""Small random models and their float64 results, made with Hugging Face's transformers.

    python make_reference.py OUTPUT_FOLDER

Needs torch, transformers 5, safetensors and gguf. Every variant becomes a folder with
  config.json        as transformers 5 writes it (rope_parameters, dtype, every key present)
  config_old.json    the older style, with only the keys that a published config of the kind has;
                     transformers gives the same logits for both (asserted)
  model.safetensors  random weights
  model.gguf         the same weights as llama.cpp stores them (four variants)
  oracle.safetensors ids I32 [T], positions I32 [P], logits F32 [P, V] of those positions,
                     greedy I32 [16], the continuation of the ids; computed in float64
Transformers keeps float32 inside RMSNorm, softmax and rope even for a float64 model, so these
three are lifted to float64 here. The metadata of oracle.safetensors tells versions, the deviation
of transformers' own float32 pass and the smallest distance of a greedy choice from the runner-up.
rope_frequencies.json holds the inverse frequencies of published configurations (float32, from
transformers' own functions), class_defaults.json what its classes take for absent keys.
"""

import json
import math
import pathlib
import sys

import gguf
import numpy as np
import torch
import transformers
from safetensors.numpy import save_file
from transformers import AutoConfig, AutoModelForCausalLM

VOCABULARY = 96
GREEDY = 16

LLAMA = dict(
    model_type="llama", architectures=["LlamaForCausalLM"], hidden_act="silu", hidden_size=32,
    intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, vocab_size=VOCABULARY,
    max_position_embeddings=512, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2)
QWEN = dict(
    hidden_act="silu", hidden_size=32, intermediate_size=48, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, vocab_size=VOCABULARY,
    max_position_embeddings=512, rms_norm_eps=1e-6, bos_token_id=1, eos_token_id=2)
LLAMA3_ROPE = dict(rope_type="llama3", low_freq_factor=1.0, high_freq_factor=4.0,
                   original_max_position_embeddings=64)

# name -> (older config, storage type, tokens, also as GGUF)
VARIANTS = {
    # No num_key_value_heads, rope_theta, tie_word_embeddings or head_dim: the class's defaults.
    "llama2": (dict(LLAMA, torch_dtype="float16"), "float16", 64, False),
    "llama_biases": (dict(LLAMA, num_key_value_heads=2, attention_bias=True, mlp_bias=True,
                          rope_theta=500000.0, torch_dtype="float32"), "float32", 64, True),
    "llama31_long": (dict(LLAMA, num_key_value_heads=2, rope_theta=500000.0,
                          rope_scaling=dict(LLAMA3_ROPE, factor=8.0), torch_dtype="bfloat16",
                          hidden_size=48), "bfloat16", 400, True),
    # "type" instead of "rope_type", and a head size that is not hidden / heads.
    "llama32": (dict(LLAMA, num_key_value_heads=1, head_dim=24, tie_word_embeddings=True,
                     rope_theta=500000.0,
                     rope_scaling={"type": "llama3", **{k: v for k, v in LLAMA3_ROPE.items()
                                                        if k != "rope_type"}, "factor": 32.0},
                     torch_dtype="bfloat16"), "bfloat16", 160, False),
    "smollm2": (dict(LLAMA, num_attention_heads=3, num_key_value_heads=1, hidden_size=48,
                     tie_word_embeddings=True, rope_theta=100000, rope_interleaved=False,
                     is_llama_config=True, rope_scaling=None, pretraining_tp=1, use_cache=True,
                     torch_dtype="bfloat16"), "bfloat16", 64, False),
    "mistral_window": (dict({**LLAMA, "model_type": "mistral",
                             "architectures": ["MistralForCausalLM"]}, num_key_value_heads=2,
                            sliding_window=16, rope_theta=10000.0, torch_dtype="bfloat16"),
                       "bfloat16", 96, False),
    # num_key_value_heads absent: 8. sliding_window null: none. head_dim beside hidden / heads.
    "mistral_defaults": (dict({**LLAMA, "model_type": "mistral",
                               "architectures": ["MistralForCausalLM"]}, num_attention_heads=16,
                              head_dim=8, sliding_window=None, rope_theta=1000000.0,
                              torch_dtype="bfloat16"), "bfloat16", 64, False),
    # A window that is given but switched off, as Qwen2.5's configs have it.
    "qwen25": (dict(QWEN, model_type="qwen2", architectures=["Qwen2ForCausalLM"],
                    sliding_window=16, use_sliding_window=False, max_window_layers=1,
                    rope_theta=1000000.0, torch_dtype="bfloat16"), "bfloat16", 64, True),
    # head_dim absent: 128.
    "qwen3": (dict(QWEN, model_type="qwen3", architectures=["Qwen3ForCausalLM"],
                   num_attention_heads=2, num_key_value_heads=1, tie_word_embeddings=True,
                   rope_theta=1000000, torch_dtype="bfloat16"), "bfloat16", 64, True),
    "qwen3_biases": (dict(QWEN, model_type="qwen3", architectures=["Qwen3ForCausalLM"],
                          head_dim=16, attention_bias=True, rope_theta=10000.0,
                          torch_dtype="bfloat16"), "bfloat16", 64, False),
}


def exact_frequencies(config):
    """Inverse frequencies in float64, by the definitions of transformers' modeling_rope_utils."""
    rope = config.rope_parameters
    dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    plain = rope["rope_theta"] ** -(np.arange(0, dim, 2, dtype=np.float64) / dim)
    if rope["rope_type"] == "default":
        return plain
    assert rope["rope_type"] == "llama3"
    low, high, factor = rope["low_freq_factor"], rope["high_freq_factor"], rope["factor"]
    context = rope["original_max_position_embeddings"]
    wavelength = 2 * math.pi / plain
    smooth = (context / wavelength - low) / (high - low)
    blended = (1 - smooth) * plain / factor + smooth * plain
    result = np.where(wavelength > context / low, plain / factor, blended)
    return np.where(wavelength < context / high, plain, result)


class Float64:
    """Lifts RMSNorm, softmax and rope of one model to float64 while it is entered."""

    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.softmax = torch.nn.functional.softmax

        def softmax(x, dim=None, dtype=None):
            return self.softmax(x, dim=dim, dtype=torch.float64)

        torch.nn.functional.softmax = softmax
        frequencies = torch.tensor(exact_frequencies(self.model.config))
        for module in self.model.modules():
            name = type(module).__name__
            if name.endswith("RMSNorm"):
                module.forward = lambda x, m=module: m.weight * (
                    x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + m.variance_epsilon))
            elif name.endswith("RotaryEmbedding"):
                ours, theirs = frequencies, module.inv_freq.double()
                assert ours.shape == theirs.shape and torch.allclose(ours, theirs, rtol=2e-6)
                assert module.attention_scaling == 1.0

                def rotary(x, position_ids, *_):
                    angles = position_ids[..., None].double() * frequencies
                    angles = torch.cat((angles, angles), -1)
                    return angles.cos(), angles.sin()

                module.forward = rotary
        return self.model

    def __exit__(self, *_):
        torch.nn.functional.softmax = self.softmax


def randomise(model, storage, rng):
    for name, parameter in model.named_parameters():
        shape = tuple(parameter.shape)
        if name.endswith("norm.weight") or "norm" in name:
            values = 1 + 0.3 * rng.standard_normal(shape)
        elif name.endswith("bias"):
            values = 0.5 * rng.standard_normal(shape)
        elif "embed" in name:  # a large tied one would only repeat the last token
            values = rng.standard_normal(shape) * (0.3 if model.config.tie_word_embeddings else 1)
        elif "q_proj" in name or "k_proj" in name:
            values = 1.6 * rng.standard_normal(shape) / math.sqrt(shape[1])
        else:
            values = 1.2 * rng.standard_normal(shape) / math.sqrt(shape[1])
        stored = torch.tensor(values, dtype=torch.float64).to(getattr(torch, storage))
        parameter.data.copy_(stored.double())


def all_logits(model, ids):
    with torch.no_grad():
        return model(torch.tensor([ids]), use_cache=False).logits[0].double().numpy()


def load(folder, dtype):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager")
    return model.eval()


def permute(weight, heads):
    """llama.cpp's order of q and k rows for architecture llama (convert_hf_to_gguf.py)."""
    return (weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:])
            .swapaxes(1, 2).reshape(weight.shape))


def write_gguf(path, model, config, storage):
    arch = config.model_type
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name("tiny " + arch)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_key_length(dim)
    writer.add_value_length(dim)
    writer.add_rope_dimension_count(dim)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe" if arch == "llama" else "qwen2")
    writer.add_token_list(["a", "b", "ab"] + [f"t{i}" for i in range(3, VOCABULARY)])
    writer.add_token_types([gguf.TokenType.NORMAL] * VOCABULARY)
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    architectures = {text: member for member, text in gguf.MODEL_ARCH_NAMES.items()}
    names = gguf.get_tensor_name_map(architectures[arch], config.num_hidden_layers)
    tied = config.tie_word_embeddings
    for name, tensor in model.state_dict().items():
        if tied and name == "lm_head.weight":
            continue
        values = tensor.float().numpy()
        if arch == "llama" and ".q_proj." in name:
            values = permute(values, config.num_attention_heads)
        elif arch == "llama" and ".k_proj." in name:
            values = permute(values, config.num_key_value_heads)
        to = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if values.ndim > 1 and storage == "bfloat16":
            kind = gguf.GGMLQuantizationType.BF16
            writer.add_tensor(to, gguf.quants.quantize(np.ascontiguousarray(values), kind),
                              raw_dtype=kind)
        else:
            writer.add_tensor(to, np.ascontiguousarray(values))
    if config.rope_parameters["rope_type"] == "llama3":
        plain = config.rope_parameters["rope_theta"] ** -(np.arange(0, dim, 2) / dim)
        writer.add_tensor("rope_freqs.weight",
                          (plain / exact_frequencies(config)).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make(name, folder):
    old, storage, length, as_gguf = VARIANTS[name]
    for seed in range(100):
        rng = np.random.default_rng([seed, *name.encode()])
        config = AutoConfig.for_model(**old)
        model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").double()
        randomise(model, storage, rng)
        model.eval()
        ids = rng.integers(3, VOCABULARY, length).tolist()
        with Float64(model):
            logits = all_logits(model, ids)
            greedy, gap = [], math.inf
            for _ in range(GREEDY):
                last = all_logits(model, ids + greedy)[-1]
                top = np.argsort(last)[::-1]
                gap = min(gap, last[top[0]] - last[top[1]])
                greedy.append(int(top[0]))
        if gap >= 0.03 and len(set(greedy)) >= 6:
            break
    else:
        raise SystemExit(f"{name}: no seed with clear greedy choices")
    folder.mkdir(parents=True, exist_ok=True)
    model = model.to(getattr(torch, storage))
    config.dtype = storage
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    new_style = (folder / "config.json").read_text()

    def reload(text):
        (folder / "config.json").write_text(text)
        return all_logits(load(folder, torch.float64), ids)

    (folder / "config_old.json").write_text(json.dumps(old, indent=1) + "\n")
    from_old = reload(json.dumps(old))
    from_new = reload(new_style)
    assert np.array_equal(from_old, from_new), name
    deviation = np.abs(from_new - logits).max()
    assert deviation < 2e-4, (name, deviation)
    positions = np.arange(length) if length <= 64 else np.unique(
        np.concatenate([np.arange(0, length, 16), np.arange(length - 32, length)]))
    in_float32 = np.abs(all_logits(load(folder, torch.float32), ids) - logits).max()
    save_file({"ids": np.array(ids, np.int32), "positions": positions.astype(np.int32),
               "logits": logits[positions].astype(np.float32),
               "greedy": np.array(greedy, np.int32)}, folder / "oracle.safetensors",
              metadata={"transformers": transformers.__version__, "torch": torch.__version__,
                        "seed": str(seed), "smallest_greedy_gap": f"{gap:.3f}",
                        "largest_deviation_of_transformers_float32": f"{in_float32:.1e}"})
    if as_gguf:
        write_gguf(folder / "model.gguf", load(folder, torch.float32), config, storage)
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{name:18} seed {seed} std {logits.std():.2f} gap {gap:.3f} float32 {in_float32:.1e} "
          f"{size // 1000} kB {len(set(greedy))} distinct greedy")


def rope_frequencies():
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    result = []
    for head, theta, rope in (
            (128, 500000.0, dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0,
                                 high_freq_factor=4.0, original_max_position_embeddings=8192)),
            (64, 500000.0, dict(rope_type="llama3", factor=32.0, low_freq_factor=1.0,
                                high_freq_factor=4.0, original_max_position_embeddings=8192)),
            (128, 10000.0, dict(rope_type="linear", factor=4.0))):
        config = AutoConfig.for_model("llama", hidden_size=head * 8, num_attention_heads=8,
                                      max_position_embeddings=131072, rope_theta=theta,
                                      rope_scaling=rope)
        inverse, scaling = ROPE_INIT_FUNCTIONS[rope["rope_type"]](config, torch.device("cpu"))
        assert scaling == 1.0
        result.append({"head_dim": head, "rope_theta": theta, "rope_scaling": rope,
                       "inverse_frequencies": [float(x) for x in inverse]})
    return result


def class_defaults():
    keys = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
            "num_key_value_heads", "head_dim", "vocab_size", "max_position_embeddings",
            "rms_norm_eps", "tie_word_embeddings", "rope_parameters", "sliding_window",
            "bos_token_id", "eos_token_id")
    return {kind: {key: getattr(AutoConfig.for_model(kind), key, None) for key in keys}
            for kind in ("llama", "mistral", "qwen2", "qwen3")}


if __name__ == "__main__":
    torch.set_num_threads(1)
    target = pathlib.Path(sys.argv[1])
    for variant in sys.argv[2:] or VARIANTS:
        make(variant, target / variant)
    (target / "rope_frequencies.json").write_text(json.dumps(rope_frequencies()) + "\n")
    (target / "class_defaults.json").write_text(json.dumps(class_defaults(), indent=1) + "\n")
