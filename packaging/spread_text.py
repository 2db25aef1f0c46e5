"""Writes resources/texts/wikitext2_spread.txt: a passage from the middle of every article of
WikiText-2's test part, whole paragraphs of some 1200 characters. Four articles fill the first
16,384 tokens of the test part; these are as many from all of it."""
import pathlib
import re

LEAST = 800  # characters a passage
texts = pathlib.Path(__file__).resolve().parent.parent / "resources" / "texts"
lines = (texts / "wikitext2_test.txt").read_text(encoding="utf-8").split("\n")
starts = [i for i, line in enumerate(lines) if re.fullmatch(r" = [^=].* = ?", line)]
passages = []
for start, end in zip(starts, starts[1:] + [len(lines)]):
    paragraphs = [line for line in lines[start:end] if line.strip() and not line.startswith(" = ")]
    passage = []
    for paragraph in paragraphs[len(paragraphs) // 2:]:
        if sum(map(len, passage)) < LEAST:
            passage.append(paragraph)
    passages.extend(passage)
(texts / "wikitext2_spread.txt").write_text("\n".join(passages) + "\n", encoding="utf-8")
