"""Holds folders of `cospadi export --format hf-factors` against the engine, with transformers itself.

    python check_hf_factors.py --cospadi PROGRAM RUN=FOLDER [RUN=FOLDER …]

RUN is what the folder was exported from. For every folder: transformers refuses it without
trust_remote_code; with it the logits of ten prompts are those of `cospadi logits RUN`; the layers are
as many as config.json says, and of the tensors as they are in the file; generation with a cache takes
the likeliest tokens; a change of precision leaves the stored tensors alone; decoding does not depend on
torch's default type, is repeated for other tensors, and leaves gradients possible; what is saved loads
again; and folders that are damaged in six ways are refused. Prints a line of JSON a folder, with
`difference`, the largest of the logits, and `failures`, which is empty where all of this is so. Exit
status 1 where any is not. Needs torch, transformers 5 and safetensors; loads nothing from a network.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
# Where transformers copies the modelling file to: not into the user's own cache.
_MODULES = tempfile.TemporaryDirectory()
os.environ["HF_MODULES_CACHE"] = _MODULES.name

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

logging.set_verbosity_error()
logging.disable_progress_bar()

TEXTS = [
    "The capital of France is",
    "def fibonacci(n):\n    if n < 2:\n        return",
    "Once upon a time there was a",
    "Water boils at 100 degrees",
    "In 1969, the first humans",
    "The derivative of x^2 is",
    "Dear Sir or Madam, I am writing to",
    "import numpy as np\nimport",
    "The quick brown fox jumps over the lazy",
    "Q: What is the largest planet?\nA:",
]


def prompts(folder, vocabulary):
    """Ten texts where the folder has a tokenizer for them, ten draws of 3 to 39 ids where not."""
    if (folder / "tokenizer.json").exists() and vocabulary > 10000:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
        return [tokenizer(text)["input_ids"] for text in TEXTS]
    draw = random.Random(20)
    return [[draw.randrange(vocabulary) for _ in range(3 + 4 * i)] for i in range(10)]


def engine_logits(program, run, ids, scratch):
    path = pathlib.Path(scratch) / "logits.f32"
    words = [program, "logits", run, "--ids", ",".join(map(str, ids)), "--out", str(path)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return torch.from_numpy(np.fromfile(path, dtype="<f4")).view(len(ids), -1)


def load(folder, **more):
    return AutoModelForCausalLM.from_pretrained(folder, trust_remote_code=True, **more)


def factored_layers(model):
    return [m for m in model.modules() if type(m).__name__ == "FactoredLinear"]


class Check:
    def __init__(self, program, run, folder):
        self.program, self.run, self.folder = program, run, pathlib.Path(folder)
        self.failures = []
        self.config = json.loads((self.folder / "config.json").read_text())

    def expect(self, holds, what):
        if not holds:
            self.failures.append(what)

    def expect_refused(self, what, action, *words):
        """Raises, and says one of the words."""
        try:
            action()
        except (ValueError, OSError, KeyError, RuntimeError) as error:
            self.expect(any(w in str(error) for w in words), f"{what}: refused with {error!r}"[:400])
        else:
            self.failures.append(f"{what}: was accepted")

    def refusal_without_trust(self):
        # Where it is not given transformers asks on the terminal, of which there is none here.
        with contextlib.redirect_stdout(sys.stderr):
            for more in ({"trust_remote_code": False}, {}):
                self.expect_refused(
                    f"from_pretrained with {more}",
                    lambda more=more: AutoModelForCausalLM.from_pretrained(self.folder, **more),
                    "trust_remote_code",
                )

    def largest_difference(self, model, scratch):
        largest = 0.0
        for ids in prompts(self.folder, model.config.vocab_size):
            ours = engine_logits(self.program, self.run, ids, scratch)
            with torch.no_grad():
                theirs = model(torch.tensor([ids])).logits[0]
            self.expect(theirs.shape == ours.shape, f"logits are {theirs.shape}, not {ours.shape}")
            self.expect(bool(torch.isfinite(theirs).all()), "logits that are not finite")
            largest = max(largest, (theirs - ours).abs().max().item())
        return largest

    def tensors_are_those_of_the_file(self, model):
        state = model.state_dict()
        with safe_open(self.folder / "factors.safetensors", "pt") as file:
            names = list(file.keys())
            for name in names:
                stored = file.get_tensor(name)
                self.expect(
                    name in state
                    and state[name].dtype == stored.dtype
                    and torch.equal(state[name], stored),
                    f"{name} is not as in the file",
                )
        self.expect(len(names) > 0, "no factors in the file")

    def generation(self, model):
        """Greedy, with the cache, against the likeliest token of a pass over all."""
        ids = [int(i) for i in prompts(self.folder, model.config.vocab_size)[1]]
        out = model.generate(
            torch.tensor([ids]), max_new_tokens=6, do_sample=False, pad_token_id=0,
            eos_token_id=None,
        )[0]
        with torch.no_grad():
            best = model(out[None]).logits[0].argmax(-1)
        begin = len(ids) - 1
        self.expect(torch.equal(best[begin:-1], out[len(ids):]), "generation is not greedy")

    def decoding_at_every_call(self, model):
        ids = torch.tensor([prompts(self.folder, model.config.vocab_size)[0]])
        other = load(self.folder, dtype=torch.float32, keep_decoded=False)
        with torch.no_grad():
            same = torch.equal(other(ids).logits, model(ids).logits)
        kept = [m for m in other.modules() if getattr(m, "_decoded", None) is not None]
        self.expect(same and not kept, "keep_decoded=False computes something else, or keeps")

    def other_default_types(self, model):
        """What is decoded is float32 and the same, whatever type torch gives to new tensors."""
        layers = factored_layers(model)
        expected = [layer.maps() for layer in layers]
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            torch.set_default_dtype(dtype)
            try:
                found = [layer.maps() for layer in layers]
            except RuntimeError as error:
                self.failures.append(f"decoding with the default type {dtype}: {error}"[:400])
                continue
            finally:
                torch.set_default_dtype(torch.float32)
            same = all(
                f.dtype == torch.float32 and torch.equal(f, e)
                for ours, theirs in zip(found, expected)
                for f, e in zip(ours, theirs)
            )
            self.expect(same, f"decoding with the default type {dtype} gives something else")

    def gradients_after_inference_mode(self):
        model = load(self.folder, dtype=torch.float32).eval()
        ids = torch.tensor([prompts(self.folder, model.config.vocab_size)[0]])
        with torch.inference_mode():
            model(ids)
        inputs = model.get_input_embeddings()(ids).detach().requires_grad_()
        try:
            model(inputs_embeds=inputs).logits.sum().backward()
        except RuntimeError as error:
            self.failures.append(f"no gradients after inference mode: {error}"[:400])
            return
        self.expect(bool((inputs.grad != 0).any()), "gradients that are all zero")

    def tensors_loaded_later(self):
        """load_state_dict() makes what was decoded before outdated."""
        model = load(self.folder, dtype=torch.float32).eval()
        with torch.no_grad():
            model(torch.tensor([prompts(self.folder, model.config.vocab_size)[0]]))
        model.load_state_dict(model.state_dict())
        kept = [layer for layer in factored_layers(model) if layer._decoded is not None]
        self.expect(not kept, "load_state_dict() keeps what was decoded of other tensors")

    def other_precisions(self):
        model = load(self.folder, dtype=torch.bfloat16)
        self.tensors_are_those_of_the_file(model)
        self.tensors_are_those_of_the_file(model.half())
        self.tensors_are_those_of_the_file(model.float())

    def saved_again(self, model, scratch):
        """save_pretrained() writes what loads to the same numbers, code included."""
        folder = pathlib.Path(scratch) / "saved"
        model.save_pretrained(folder)
        ids = torch.tensor([prompts(self.folder, model.config.vocab_size)[0]])
        with torch.no_grad():
            same = torch.equal(load(folder, dtype=torch.float32)(ids).logits, model(ids).logits)
        self.expect(same, "what save_pretrained() wrote computes something else")
        shutil.rmtree(folder)

    def damaged(self, scratch):
        def with_config(change):
            def damage(folder):
                config = json.loads((folder / "config.json").read_text())
                change(config)
                (folder / "config.json").write_text(json.dumps(config))
            return damage

        def with_tensors(change):
            def damage(folder):
                path = folder / "factors.safetensors"
                tensors = load_file(path)
                change(tensors)
                os.unlink(path)
                save_file(tensors, path, {"format": "pt"})
            return damage

        first = next(iter(self.config["cospadi"]["layers"]))
        with safe_open(self.folder / "factors.safetensors", "pt") as file:
            tensor = sorted(file.keys())[0]

        def no_layers(config):
            config["cospadi"]["layers"], config["cospadi"]["count"] = {}, 0

        def shorter(tensors):
            tensors[tensor] = tensors[tensor][:-1].clone()

        cases = {
            "no layers": (with_config(no_layers), ["no layer of this model is factored"]),
            "another count": (
                with_config(lambda c: c["cospadi"].update(count=c["cospadi"]["count"] + 1)),
                ["layers are factored, config.json says"],
            ),
            "a newer format": (with_config(lambda c: c["cospadi"].update(format=2)), ["format 2"]),
            "an unknown form": (
                with_config(lambda c: c["cospadi"]["layers"][first].update(form="butterfly")),
                ["butterfly"],
            ),
            "a missing tensor": (
                with_tensors(lambda t: t.pop(tensor)),
                ["missing", tensor],
            ),
            "a tensor of another shape": (with_tensors(shorter), ["mismatch", "size", tensor]),
        }
        for name, (damage, words) in cases.items():
            folder = pathlib.Path(scratch) / "damaged"
            shutil.copytree(self.folder, folder, copy_function=os.link)
            for path in (folder / "config.json",):
                text = path.read_text()
                path.unlink()
                path.write_text(text)
            damage(folder)
            self.expect_refused(name, lambda: load(folder), *words)
            shutil.rmtree(folder)

    def result(self):
        self.refusal_without_trust()
        model = load(self.folder, dtype=torch.float32).eval()
        factored = factored_layers(model)
        stored = self.config["cospadi"]
        self.expect(len(factored) == stored["count"] == len(stored["layers"]), "the count is wrong")
        self.tensors_are_those_of_the_file(model)
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as scratch:
            difference = self.largest_difference(model, scratch)
            self.generation(model)
            self.decoding_at_every_call(model)
            self.saved_again(model, scratch)
            self.damaged(scratch)
        self.other_default_types(model)
        self.gradients_after_inference_mode()
        self.tensors_loaded_later()
        self.other_precisions()
        return {
            "folder": str(self.folder),
            "class": type(model).__name__,
            "factored": len(factored),
            "difference": difference,
            "failures": self.failures,
        }


def by_the_package(folder):
    """With cospadi_transformers imported the folder loads by its classes, and needs no code itself."""
    with tempfile.TemporaryDirectory(dir=pathlib.Path(folder).parent) as scratch:
        bare = pathlib.Path(scratch) / "bare"
        shutil.copytree(folder, bare, copy_function=os.link)
        (bare / "modeling_cospadi.py").unlink()
        words = (
            "import sys, cospadi_transformers as c\n"
            "from transformers import AutoModelForCausalLM\n"
            "model = AutoModelForCausalLM.from_pretrained(sys.argv[1])\n"
            "assert type(model).__module__ == 'cospadi_transformers.modeling_cospadi'\n"
            "assert c.count_factored(model) == model.config.cospadi['count'] > 0\n"
        )
        source = pathlib.Path(__file__).resolve().parents[2] / "python" / "src"
        done = subprocess.run(
            [sys.executable, "-c", words, str(bare)],
            env={**os.environ, "PYTHONPATH": str(source)},
            capture_output=True, text=True,
        )
        return [] if done.returncode == 0 else [f"by the package: {done.stderr[-800:]}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cospadi", required=True)
    parser.add_argument("pairs", nargs="+", metavar="RUN=FOLDER")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    sys.stdin = open(os.devnull)
    failed = False
    for pair in arguments.pairs:
        run, _, folder = pair.partition("=")
        result = Check(arguments.cospadi, run, folder).result()
        if pair == arguments.pairs[0]:
            result["failures"] += by_the_package(folder)
        failed = failed or bool(result["failures"]) or result["difference"] > 1e-3
        print(json.dumps(result), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
