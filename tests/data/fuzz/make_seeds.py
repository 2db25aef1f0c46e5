"""Small valid files that tst_fuzz_files mutates, made with the packages `tokenizers` and `gguf`.

    python make_seeds.py                (writes beside itself; needs tokenizers, gguf, numpy)

byte_level.json     byte-level BPE as GPT-2 and Llama 3 have it: Split, ByteLevel, template, NFC
byte_fallback.json  BPE with byte fallback as Llama 2 has it: Prepend, Replace, added tokens
byte_level.gguf     one block of a Llama with quantised weights and the first tokenizer
"""

import json
import pathlib

import numpy as np
from gguf import GGUFWriter, TokenType
from gguf.constants import GGMLQuantizationType as Kind
from gguf.quants import quantize
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

HERE = pathlib.Path(__file__).parent
TEXT = ["The quick brown fox jumps over the lazy dog, and the dog sleeps on. " * 3,
        "for (int i = 0; i < 100; ++i) { sum += values[i]; }", "naïve café, 日本語 и русский"]
SPECIAL = ["<|begin|>", "<|end|>"]
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
         r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_level():
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=300, special_tokens=SPECIAL, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin|> $A", special_tokens=[("<|begin|>", 0)])
    return tokenizer


def byte_fallback():
    words = ["▁", "t", "h", "e", "d", "o", "g", "th", "▁th", "▁the", "do", "dog", "▁dog"]
    vocabulary = {name: i for i, name in enumerate(
        ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)] + words)}
    merges = [("t", "h"), ("▁", "th"), ("▁th", "e"), ("d", "o"), ("do", "g"), ("▁", "dog")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True,
                                     byte_fallback=True))
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True)
                                  for name in ("<unk>", "<s>", "</s>")])
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"),
                                                 normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                           decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return tokenizer


def write_gguf(path, tokenizer):
    model = json.loads(tokenizer.to_str())["model"]
    tokens = [name for name, _ in sorted(model["vocab"].items(), key=lambda item: item[1])]
    rng = np.random.default_rng(20261121)
    writer = GGUFWriter(path, "llama")
    writer.add_name("seed")
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(16)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if name in SPECIAL else TokenType.NORMAL
                            for name in tokens])
    writer.add_token_merges([" ".join(merge) for merge in model["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(True)

    def matrix(name, rows, kind):
        values = rng.standard_normal((rows, 32)).astype(np.float32) / 6
        writer.add_tensor(name, quantize(values, kind), raw_dtype=kind)

    matrix("token_embd.weight", len(tokens), Kind.Q4_0)
    writer.add_tensor("output_norm.weight", np.ones(32, np.float32))
    writer.add_tensor("rope_freqs.weight", np.ones(8, np.float32))
    writer.add_tensor("blk.0.attn_norm.weight", np.ones(32, np.float32))
    writer.add_tensor("blk.0.ffn_norm.weight", np.ones(32, np.float32))
    for name, rows, kind in (("attn_q", 32, Kind.Q8_0), ("attn_k", 16, Kind.Q5_1),
                             ("attn_v", 16, Kind.F16), ("attn_output", 32, Kind.BF16),
                             ("ffn_gate", 32, Kind.Q4_1), ("ffn_up", 32, Kind.Q5_0),
                             ("ffn_down", 32, Kind.F32)):
        matrix(f"blk.0.{name}.weight", rows, kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    byte_level().save(str(HERE / "byte_level.json"))
    byte_fallback().save(str(HERE / "byte_fallback.json"))
    write_gguf(HERE / "byte_level.gguf", byte_level())
