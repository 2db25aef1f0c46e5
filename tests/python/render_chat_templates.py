#!/usr/bin/env python3
"""What Hugging Face's own renderer makes of chat templates: the oracle of tst_chat_templates.

    render_chat_templates.py FOLDER [--write]

FOLDER holds NAME.jinja and conversations.json. Prints one JSON object, template → conversation →
{"text"} or {"error"}, or writes it as FOLDER/renderings.json. Needs `transformers` (no torch); where
that is missing, `jinja2` alone with the settings that transformers gives it.
"""

import argparse
import json
import pathlib

# As of Llama 3.2, whose template asks what day it is.
DATE = "24 Nov 2026"
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def plain_jinja(template, messages, **kwargs):
    from jinja2.exceptions import TemplateError
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def raise_exception(message):
        raise TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.globals["raise_exception"] = raise_exception
    return environment.from_string(template).render(messages=messages, **kwargs)


def renderer():
    try:
        from transformers.utils.chat_template_utils import render_jinja_template
    except ImportError:
        return plain_jinja

    def render(template, messages, **kwargs):
        rendered, _ = render_jinja_template(
            conversations=[messages], chat_template=template, **kwargs
        )
        return rendered[0]

    return render


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    conversations = json.loads((arguments.folder / "conversations.json").read_text("utf-8"))
    render = renderer()
    renderings = {}
    for path in sorted(arguments.folder.glob("*.jinja")):
        template = path.read_bytes().decode("utf-8")
        for name, conversation in conversations.items():
            extra = dict(conversation.get("settings", {}))
            if "strftime_now" in template:
                extra.setdefault("date_string", DATE)
            try:
                text = render(
                    template, conversation["messages"], add_generation_prompt=True, **TOKENS, **extra
                )
                found = {"text": text}
            except Exception as error:  # what a template raises, it raises as jinja2's error
                found = {"error": str(error)}
            renderings.setdefault(path.stem, {})[name] = found
    text = json.dumps(renderings, ensure_ascii=False, indent=1, sort_keys=True)
    if arguments.write:
        (arguments.folder / "renderings.json").write_text(text + "\n", "utf-8")
    else:
        print(text)


main()
