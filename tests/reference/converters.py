"""Models of other families than Marian as CTranslate2's own TransformersConverter writes them (ctranslate2
4.8.5), mended where it takes what transformers 5 has for something else.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import ctranslate2.converters.transformers as transformers_converter
import numpy as np
from ctranslate2.converters import TransformersConverter


def convert_family(folder, out, quantization=None):
    """Convert a folder as save_pretrained writes it: with the decoder's own number of heads, and the keys
    that published files have."""
    get_spec = transformers_converter.BartLoader.get_model_spec

    def with_heads(self, model):
        before, embedding = {"bart": (False, True), "mbart": (True, True), "pegasus": (True, False),
                             "m2m_100": (True, False)}[model.config.model_type]
        model.config.normalize_before, model.config.normalize_embedding = before, embedding
        spec = get_spec(self, model)
        spec.decoder.num_heads = np.int16(model.config.decoder_attention_heads)
        return spec

    get_words = transformers_converter.BartLoader.get_vocabulary

    def with_spare(self, model, tokenizer):
        words = get_words(self, model, tokenizer)
        return words + [f"madeupword{i}" for i in range(model.config.vocab_size - len(words))
                        if model.config.model_type != "m2m_100"]

    load_model = TransformersConverter.load_model

    def with_shared(self, *args, **kwargs):
        model = load_model(self, *args, **kwargs)
        if hasattr(model, "shared"):  # transformers 5 leaves T5's embeddings apart, and without numbers
            model.encoder.embed_tokens = model.decoder.embed_tokens = model.shared
            # The converter takes the one for the other, which transformers 5 has as a key of its own.
            model.config.tie_word_embeddings = (model.config.model_type == "t5"
                                                and model.config.scale_decoder_outputs)
        return model

    TransformersConverter.load_model = with_shared
    transformers_converter.BartLoader.get_vocabulary = with_spare
    transformers_converter.BartLoader.get_model_spec = with_heads
    try:
        TransformersConverter(str(folder)).convert(str(out), quantization=quantization, force=True)
    finally:
        transformers_converter.BartLoader.get_model_spec = get_spec
        transformers_converter.BartLoader.get_vocabulary = get_words
        TransformersConverter.load_model = load_model
