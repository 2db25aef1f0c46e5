# SPDX-License-Identifier: Apache-2.0
"""Importing this package lets transformers load `cospadi export --format hf-factors` folders
without `trust_remote_code`: the classes come from here and not from the folder."""

from transformers import AutoConfig, AutoModelForCausalLM

from .modeling_cospadi import (
    CospadiLlamaConfig,
    CospadiLlamaForCausalLM,
    CospadiMistralConfig,
    CospadiMistralForCausalLM,
    CospadiQwen2Config,
    CospadiQwen2ForCausalLM,
    CospadiQwen3Config,
    CospadiQwen3ForCausalLM,
    FactoredLinear,
    count_factored,
)

for _config, _model in (
    (CospadiLlamaConfig, CospadiLlamaForCausalLM),
    (CospadiMistralConfig, CospadiMistralForCausalLM),
    (CospadiQwen2Config, CospadiQwen2ForCausalLM),
    (CospadiQwen3Config, CospadiQwen3ForCausalLM),
):
    AutoConfig.register(_config.model_type, _config, exist_ok=True)
    AutoModelForCausalLM.register(_config, _model, exist_ok=True)

__all__ = [
    "CospadiLlamaConfig",
    "CospadiLlamaForCausalLM",
    "CospadiMistralConfig",
    "CospadiMistralForCausalLM",
    "CospadiQwen2Config",
    "CospadiQwen2ForCausalLM",
    "CospadiQwen3Config",
    "CospadiQwen3ForCausalLM",
    "FactoredLinear",
    "count_factored",
]
