"""What tst_tokenizer_fuzz.cpp compares: digests of the ids and texts that the package `tokenizers` gives."""
import hashlib
import struct


def digest(data):
    return hashlib.sha256(data).hexdigest()[:8]


def packed(ids):
    return struct.pack("<%di" % (len(ids) + 1), *ids, -1)


def random_ids(index, size):
    """Also in tst_tokenizer_fuzz.cpp: every second string draws from the first 300 ids only."""
    x = (index * 2654435761 + 12345) & 0xFFFFFFFF
    ids = []
    for _ in range(1 + (x >> 8) % 24):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        ids.append((x >> 8) % (min(size, 300) if index % 2 else size))
    return ids


def of_tokenizer(tokenizer, texts):
    """A line a text: a digest of ids (special tokens as text, recognised, added), one of decoded texts."""
    size = tokenizer.get_vocab_size(with_added_tokens=True)
    for index, data in enumerate(texts):
        text = data.decode("utf-8", "replace")
        tokenizer.encode_special_tokens = True
        plain = tokenizer.encode(text, add_special_tokens=False).ids
        tokenizer.encode_special_tokens = False
        parsed = tokenizer.encode(text, add_special_tokens=False).ids
        added = tokenizer.encode(text, add_special_tokens=True).ids
        drawn = random_ids(index, size)
        decoded = [tokenizer.decode(ids, skip_special_tokens=skip)
                   for ids, skip in ((parsed, False), (added, True), (drawn, False), (drawn, True))]
        yield (digest(packed(plain) + packed(parsed) + packed(added)) + " "
               + digest(b"".join(t.encode() + b"\xff" for t in decoded)))


def of_sentencepiece(processor, texts):
    """The same for a SentencePiece model: ids of texts alone."""
    for data in texts:
        yield digest(packed(processor.encode(data.decode("utf-8", "replace"))))
