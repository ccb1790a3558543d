"""What MarianMTModel makes of checkpoints whose matrices are tied in every way: tests/data/ties.json and
tests/data/ties.safetensors.

The second file holds the layers of a random model and four different matrices, named by one letter: s, e, d and o.
Each variant is a config.json and, for each name that its checkpoint has, which of the four stands there. It was written
so, opened by from_pretrained, and translated with: greedy and with four beams, each sentence.

Made with PyTorch 2.13.0 and transformers 5.24.0.

    make_ties.py

SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import pathlib
import random
import shutil
import tempfile

import torch
from safetensors.torch import save_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

import checkpoints

BASE = checkpoints.DATA / "checkpoints" / "post-norm-relu"
NAMES = {"S": "model.shared.weight", "E": "model.encoder.embed_tokens.weight",
         "D": "model.decoder.embed_tokens.weight", "O": "lm_head.weight"}
# name, shared embeddings, tied output, which matrix stands under which name
VARIANTS = [
    ("all tied", True, True, {"S": "s"}, {}),
    ("all tied, all names", True, True, {"S": "s", "E": "s", "D": "s", "O": "s"}, {}),
    ("all tied, decoder's name", True, True, {"D": "d"}, {}),
    ("all tied, output's name", True, True, {"O": "o"}, {}),
    ("nothing tied, as transformers 5 writes it", True, False, {"S": "s", "E": "e", "D": "d", "O": "o"}, {}),
    ("output untied, with all names", True, False, {"S": "s", "E": "s", "D": "s", "O": "o"}, {}),
    ("two embeddings, output tied", False, True, {"E": "e", "D": "d"}, {}),
    ("two embeddings, output tied, both names", False, True, {"E": "e", "D": "d", "O": "d"}, {}),
    ("two embeddings, output tied, its name", False, True, {"E": "e", "O": "o"}, {}),
    ("three matrices", False, False, {"E": "e", "D": "d", "O": "o"}, {}),
    ("three matrices and one that nobody reads", False, False, {"S": "s", "E": "e", "D": "d", "O": "o"}, {}),
    ("positions not static, no table", True, True, {"S": "s"}, {"static_position_embeddings": False}),
]


def sentences(n):
    source = random.Random(4)
    words = " ".join(checkpoints.ENGLISH).split()
    return [" ".join(source.choice(words) for _ in range(source.randint(1, 9))) for _ in range(n)]


if __name__ == "__main__":
    torch.manual_seed(38)
    tokenizer = MarianTokenizer.from_pretrained(BASE)
    size = len(tokenizer.encoder)
    plain = {"model_type": "marian", "vocab_size": size, "decoder_vocab_size": size, "d_model": 16, "encoder_layers": 1,
             "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16,
             "decoder_ffn_dim": 16, "max_position_embeddings": 40, "activation_function": "swish",
             "static_position_embeddings": True, "scale_embedding": True, "pad_token_id": size - 1, "eos_token_id": 0,
             "bos_token_id": 0, "decoder_start_token_id": size - 1, "forced_eos_token_id": 0}
    model = MarianMTModel(MarianConfig(**plain, init_std=0.5, share_encoder_decoder_embeddings=False,
                                       tie_word_embeddings=False))
    half = lambda t: t.detach().half().float().clone()
    state = {k: half(v) for k, v in model.state_dict().items()}
    layers = {k: v for k, v in state.items() if ".layers." in k or k == "final_logits_bias"}
    matrices = {letter: half(torch.randn(size, 16) * 0.5) for letter in "sedo"}
    for matrix in matrices.values():
        matrix[-1] = 0
    save_file({k: v.half() for k, v in (layers | matrices).items()}, checkpoints.DATA / "ties.safetensors")

    texts, variants = sentences(25), []
    for name, share, tie, stored, more in VARIANTS:
        config = dict(plain, share_encoder_decoder_embeddings=share, tie_word_embeddings=tie, **more)
        tensors = {NAMES[k]: letter for k, letter in stored.items()}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "config.json").write_text(json.dumps(config))
            save_file(layers | {k: matrices[letter].clone() for k, letter in tensors.items()},
                      folder / "model.safetensors", {"format": "pt"})
            opened = MarianMTModel.from_pretrained(folder, attn_implementation="eager").eval()
        results = []
        for text in texts:
            ids = torch.tensor([tokenizer(text)["input_ids"]])
            row = []
            for beams in (1, 4):
                out = opened.generate(input_ids=ids, generation_config=GenerationConfig(
                    num_beams=beams, max_length=14, pad_token_id=size - 1, eos_token_id=0, forced_eos_token_id=0,
                    decoder_start_token_id=size - 1, bad_words_ids=[[size - 1]], output_scores=True,
                    return_dict_in_generate=True))
                row.append(out.sequences[0, 1:].tolist())
            results.append(row + [round(out.sequences_scores[0].item(), 6)])
        variants.append({"name": name, "config": config, "tensors": tensors, "results": results})
        print(name, results[0])
    blob = {"max_length": 14, "sentences": texts, "variants": variants}
    (checkpoints.DATA / "ties.json").write_text(json.dumps(blob, separators=(",", ":")) + "\n")
