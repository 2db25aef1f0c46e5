"""A larger comparison with the package `tokenizers`, on other texts than the stored ones.

python compare.py TEST_PROGRAM FOLDER [SEED] [COUNT] [TOKENIZER_JSON ...]
TEST_PROGRAM: tst_tokenizer_fuzz. FOLDER is made anew. The stored tokenizers take part, and those named
(for the default model: cospadi compress … writes its tokenizer.json).
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tokenizers import Tokenizer

import reference
from corpus import corpus

HERE = Path(__file__).parent


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    seed, count = int((sys.argv[3:] or [1])[0]), int((sys.argv[4:] or [5000])[0])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts = corpus(seed, count)
    (folder / "corpus.json").write_text(json.dumps([{"hex": t.hex()} for t in texts]))
    sources = [p for p in sorted(HERE.glob("*.json")) if p.name != "corpus.json"] + [Path(p) for p in sys.argv[5:]]
    for path in sources:
        name = path.stem if path.parent == HERE else f"{path.parent.name}_{path.stem}"
        shutil.copy(path, folder / f"{name}.json")
        (folder / f"{name}.expected").write_text("\n".join(reference.of_tokenizer(Tokenizer.from_file(str(path)), texts)) + "\n")
    for path in HERE.glob("*.gguf"):
        shutil.copy(path, folder)
    print(f"{len(texts)} texts, seed {seed}, {len(sources)} tokenizers")
    sys.exit(subprocess.run([program], env={**os.environ, "COSPADI_TOKENIZER_FUZZ": str(folder)}).returncode)


if __name__ == "__main__":
    main()
