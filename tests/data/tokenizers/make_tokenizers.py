"""Small tokenizers in the forms that published models use, and what the Python packages make of 2,000 texts.

python make_tokenizers.py TRAINING_TEXT     (needs tokenizers 0.23.3, sentencepiece 0.2.3, gguf 0.19.0, numpy)
"""
import json
import sys
from pathlib import Path

import gguf
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import reference
from corpus import WORDS, corpus

HERE = Path(__file__).parent
SEED, COUNT, SIZE = 20261121, 2000, 1100
CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
LLAMA3 = CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
TEKKEN = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}"
          r"\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_level(lines, pre, specials, size=SIZE, normalizer=None):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=specials, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def split(regex, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(regex), behavior, invert)


def bare_bytes():
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def byte_level_forms(lines):
    seq = pre_tokenizers.Sequence
    smollm = byte_level(lines, seq([pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)]),
                        ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    llama3 = byte_level(lines, seq([split(LLAMA3), bare_bytes()]), [])
    llama3.add_special_tokens(["<|begin_of_text|>", "<|eot_id|>"])
    begin = ("<|begin_of_text|>", llama3.token_to_id("<|begin_of_text|>"))
    llama3.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1", special_tokens=[begin])])
    llama3 = altered(llama3, lambda j: (j["model"].update(ignore_merges=True), drop_merges(j["model"])))
    qwen2 = byte_level(lines, seq([split(QWEN2), bare_bytes()]), [], normalizer=normalizers.NFC())
    qwen2.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    qwen2.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
    tekken = byte_level(lines, seq([split(TEKKEN), bare_bytes()]), ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"])
    flags = byte_level(lines, seq([split(r"[\p{P}]", "merged_with_previous"), split(r"\d+|x", "contiguous"),
                                   split(" ", "merged_with_next"), split(r"[^\t]+", "removed", True),
                                   pre_tokenizers.Digits(False), pre_tokenizers.ByteLevel(add_prefix_space=True)]),
                       ["<s>"], normalizer=normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex("q+"), "kw")]))
    flags.add_tokens([AddedToken("[LEFT]", lstrip=True, normalized=False), AddedToken("[RIGHT]", rstrip=True, normalized=False),
                      AddedToken("[BOTH]", lstrip=True, rstrip=True), AddedToken("[WORD]", single_word=True),
                      AddedToken("[WORDS]", single_word=True, lstrip=True, normalized=False), AddedToken("Ångström"),
                      AddedToken("the", single_word=True, special=True, normalized=False), AddedToken("and", rstrip=True)])
    return {"smollm": smollm, "llama3": llama3, "qwen2": qwen2, "tekken": tekken, "flags": flags}


def drop_merges(model):
    """Tokens that only ignore_merges finds, as Llama 3 has them."""
    model["merges"] = [m for i, m in enumerate(model["merges"]) if i % 9 != 8 or any(
        "".join(m) in pair for pair in model["merges"])]


def altered(tokenizer, change):
    spec = json.loads(tokenizer.to_str())
    change(spec)
    return Tokenizer.from_str(json.dumps(spec))


def train_sentencepiece(lines, path):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=open(path, "wb"), model_type="bpe", vocab_size=SIZE + 200, byte_fallback=True,
        character_coverage=0.9995, normalization_rule_name="identity", remove_extra_whitespaces=False, split_digits=True,
        allow_whitespace_only_pieces=True, max_sentence_length=100000, minloglevel=2, num_threads=1)
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def converted(processor):
    """vocab and merges as transformers' conversion of a SentencePiece BPE model gives them."""
    vocab = {processor.id_to_piece(i): i for i in range(processor.get_piece_size())}
    merges = []
    for piece, index in vocab.items():
        if processor.is_control(index) or processor.is_unknown(index) or processor.is_byte(index):
            continue
        ways = [(piece[:i], piece[i:], processor.get_score(index)) for i in range(1, len(piece))
                if piece[:i] in vocab and piece[i:] in vocab]
        merges += sorted(ways, key=lambda w: (vocab[w[0]], vocab[w[1]]))
    merges.sort(key=lambda w: (w[2], len(w[0]), len(w[1])), reverse=True)
    return vocab, [(left, right) for left, right, _ in merges]


def sentencepiece_forms(processor):
    vocab, merges = converted(processor)
    replace = normalizers.Replace(" ", "▁")
    fallback = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]

    def form(normalizer, pre, decoder, normalized=False, **options):
        options = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, **options}
        tokenizer = Tokenizer(models.BPE(vocab, merges, **options))
        if normalizer:
            tokenizer.normalizer = normalizer
        if pre:
            tokenizer.pre_tokenizer = pre
        if decoder:
            tokenizer.decoder = decoder
        tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=normalized) for t in ("<unk>", "<s>", "</s>")])
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1",
                                                                 special_tokens=[("<s>", 1)])
        return tokenizer

    stripped = decoders.Sequence(fallback + [decoders.Strip(" ", 1, 0)])
    llama2 = form(normalizers.Sequence([normalizers.Prepend("▁"), replace]), None, stripped)
    mistral = form(None, pre_tokenizers.Metaspace("▁", "first", False), stripped)
    old = form(None, pre_tokenizers.Metaspace("▁", "always", True), decoders.Metaspace("▁", "always", True), fuse_unk=False,
               byte_fallback=False)
    old = altered(old, lambda j: [j[k].pop("split") and j[k].pop("prepend_scheme") and j[k].update(add_prefix_space=True)
                                  for k in ("pre_tokenizer", "decoder")])
    bare = form(replace, None, None)
    ends = form(normalizers.Sequence([normalizers.NFC(), replace]), pre_tokenizers.Metaspace("▁", "never", True),
                decoders.Sequence(fallback[:2] + [decoders.Strip(" ", 0, 1)]))
    return {"llama2": llama2, "mistral": mistral, "metaspace_old": old, "no_decoder": bare, "strip_tokens": ends}


def write_gguf(path, model, pre, tokens, types, merges=None, scores=None, bos=None):
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_tokenizer_model(model)
    if pre:
        writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    if merges:
        writer.add_token_merges(merges)
    if scores:
        writer.add_token_scores(scores)
    if bos is not None:
        writer.add_bos_token_id(bos)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def gguf_of_byte_level(path, tokenizer, pre, bos=None):
    spec = json.loads(tokenizer.to_str())
    size = tokenizer.get_vocab_size()
    kinds = {t["id"]: 3 if t["special"] else 4 for t in spec["added_tokens"]}
    write_gguf(path, "gpt2", pre, [tokenizer.id_to_token(i) for i in range(size)], [kinds.get(i, 1) for i in range(size)],
               merges=[" ".join(m) for m in spec["model"]["merges"]], bos=bos)


def gguf_of_sentencepiece(path, processor):
    ids = range(processor.get_piece_size())
    types = [2 if processor.is_unknown(i) else 3 if processor.is_control(i) else 6 if processor.is_byte(i) else 1 for i in ids]
    write_gguf(path, "llama", "default", [processor.id_to_piece(i) for i in ids], types,
               scores=[processor.get_score(i) for i in ids], bos=1)


def training_lines(path):
    lines = [line for line in Path(path).read_text().split("\n") if line.strip()][:1500]
    return lines + [" ".join(WORDS[-30:]), "    if x == 10:\n        return  y", "= = = ", "\t\t", "...  ...   "] * 20


def main():
    lines = training_lines(sys.argv[1])
    forms = byte_level_forms(lines)
    processor = train_sentencepiece(lines, HERE / "spm.model")
    (HERE / "spm.model").unlink()
    forms.update(sentencepiece_forms(processor))
    gguf_of_byte_level(HERE / "smollm.gguf", forms["smollm"], "smollm")
    gguf_of_byte_level(HERE / "llama3.gguf", forms["llama3"], "llama-bpe", forms["llama3"].token_to_id("<|begin_of_text|>"))
    gguf_of_byte_level(HERE / "qwen2.gguf", forms["qwen2"], "qwen2")
    gguf_of_sentencepiece(HERE / "llama2.gguf", processor)
    texts = corpus(SEED, COUNT)
    (HERE / "corpus.json").write_text(json.dumps(
        [{"hex": t.hex()} if b"\xff" in t or t != t.decode("utf-8", "replace").encode() else t.decode() for t in texts],
        ensure_ascii=False, separators=(",", ":")))
    for name, tokenizer in forms.items():
        (HERE / f"{name}.json").write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":")))
        (HERE / f"{name}.expected").write_text("\n".join(reference.of_tokenizer(tokenizer, texts)) + "\n")
    (HERE / "sentencepiece.expected").write_text("\n".join(reference.of_sentencepiece(processor, texts)) + "\n")


if __name__ == "__main__":
    main()
