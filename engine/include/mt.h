/* mt.h — the public interface of the engine: a Transformer that translates, and lets you look.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The encoder-decoder of Vaswani et al. 2017, "Attention Is All You Need" (cited below as "the
 * paper"), run on published checkpoints, with hooks inside so that every attention matrix can be
 * captured or changed. A whole program:
 *
 *     #include <mt.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *       mt_error error = {0};
 *       mt_model *model = mt_model_open("models/en-de", NULL, &error);
 *       mt_session *session = model ? mt_session_new(model, NULL, &error) : NULL;
 *       mt_search_params params = mt_search_params_default(model);
 *       mt_translation *t = NULL;
 *       mt_capture *c = NULL;
 *       if (session)
 *         t = mt_session_translate(session, "I have two dogs.", &params, NULL, &error);
 *       if (t)
 *         c = mt_session_capture(session, t, 0, 0, NULL, &error);
 *       if (c) {
 *         printf("%s\n", mt_translation_hypothesis(t, 0)->text);
 *         mt_matrix a = mt_capture_weights(c, MT_CROSS, 3, 0);   // layer 4, head 1
 *         printf("weight of row 0 on column 0: %g\n", mt_matrix_at(&a, 0, 0));
 *       } else
 *         fprintf(stderr, "%s\n", error.message);
 *       mt_capture_unref(c);
 *       mt_translation_unref(t);
 *       mt_session_free(session);
 *       mt_model_unref(model);
 *       return c ? 0 : 1;
 *     }
 *
 * Conventions
 *   Shapes are written [rows][columns]; everything is row-major 32-bit float. S is the number of
 *   source tokens, T the number of target tokens, L layers, H heads, d = d_model, d_head = d / H.
 *   Layers and heads are counted from 0 here; people count from 1, so user interfaces add one.
 *   In an attention matrix rows are queries and columns are keys; each row sums to 1.
 *   `_new` / `_open` return something you own; `_ref` / `_unref` count references atomically; every
 *   `_free` and `_unref` accepts NULL. Pointers inside a returned struct are borrowed from it.
 *   Failure is NULL or false, with *error filled in; `error` may be NULL when you do not care. The
 *   engine never prints, never exits, never reads the environment, and on failure leaves every
 *   object as it was before the call.
 *   A model may be shared by any number of threads; a session belongs to one thread at a time;
 *   translations and captures are immutable once returned and may be shared.
 */
#ifndef MT_H
#define MT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MT_VERSION "0.1.0"

/* What the arithmetic runs on in this process, for benchmarks and for reports of faults. */
typedef struct {
  const char *kernels;      /* "plain", "avx2", "avx512": products of a few rows, in floats */
  const char *int8_kernels; /* "plain", "avx2", "avx512-vnni" */
  const char *blas;         /* "OpenBLAS 0.3.21 …", which does those of many rows */
  const char *blas_core;    /* the processor that it takes this one for, e.g. "Haswell" */
} mt_engine_info;
/* The strings are static. */
mt_engine_info mt_engine_get_info(void);

/* ---- Errors ------------------------------------------------------------------------------- */

typedef enum {
  MT_OK = 0,
  MT_ERROR_IO,          /* a file is missing or cannot be read or written */
  MT_ERROR_FORMAT,      /* a file is not what its name says, or contradicts another */
  MT_ERROR_UNSUPPORTED, /* a well-formed file of a kind this engine does not run */
  MT_ERROR_INPUT,       /* empty text, invalid UTF-8, an argument out of range */
  MT_ERROR_TOO_LONG,    /* more tokens than the model has positions */
  MT_ERROR_NO_MEMORY,   /* an allocation failed */
  MT_ERROR_CANCELLED,   /* should_stop said so: an ordinary result, not a fault */
} mt_error_code;

/* Owned by the caller; initialise with {0}. `message` is one English sentence, without newline,
 * that names the file, what was expected and what was found. */
typedef struct {
  mt_error_code code;
  char message[1024];
} mt_error;

/* ---- Model --------------------------------------------------------------------------------- */

typedef enum { MT_ACTIVATION_RELU, MT_ACTIVATION_SILU, MT_ACTIVATION_GELU } mt_activation;

typedef enum {
  MT_POSITIONS_SINUSOIDAL_HALVES,      /* Marian: sines in the first d/2 columns, then cosines */
  MT_POSITIONS_SINUSOIDAL_INTERLEAVED, /* the paper, section 3.5: sine and cosine alternate */
  MT_POSITIONS_LEARNED,                /* a table in the checkpoint */
} mt_position_kind;

typedef enum { MT_STACK_ENCODER, MT_STACK_DECODER } mt_stack;
#define MT_N_STACKS 2

/* Where generation stops with more than one beam (Hugging Face `early_stopping`). */
typedef enum {
  MT_EARLY_STOPPING_FALSE, /* heuristic: stop when no running beam can beat the worst finished */
  MT_EARLY_STOPPING_TRUE,  /* stop as soon as `beam_size` hypotheses are finished */
  MT_EARLY_STOPPING_NEVER, /* only when the best attainable score of a running beam is worse */
} mt_early_stopping;

/* What config.json and generation_config.json say. Read-only for callers. */
typedef struct {
  size_t d_model;
  size_t n_layers[MT_N_STACKS];
  size_t n_heads[MT_N_STACKS];
  size_t d_ffn[MT_N_STACKS];
  size_t vocab_size[MT_N_STACKS]; /* source and target */
  size_t max_positions;
  /* Self-attention sees keys at most so far from the query, the paper, section 4 ("restricted"); 0:
   * all. Regard's own key in config.json, which other programs do not know. */
  size_t attention_window;
  mt_activation activation;
  mt_position_kind position_kind;
  bool scale_embedding;     /* multiply embeddings by sqrt(d_model), the paper, section 3.4 */
  bool normalize_before;    /* pre-norm instead of the paper's post-norm */
  bool normalize_embedding; /* layer norm after embedding + position */
  bool add_final_layer_norm;
  bool share_embeddings;    /* one table for source and target */
  bool tie_word_embeddings; /* output matrix is the target embedding */
  int32_t pad_id, eos_id, bos_id, unk_id, decoder_start_id;
  int32_t forced_eos_id; /* -1: none */
  int32_t forced_bos_id; /* -1: none */
  /* Defaults for generation. */
  size_t num_beams, max_length, min_length;
  float length_penalty;
  mt_early_stopping early_stopping;
  size_t n_bad_words;
  const int32_t *const *bad_words;       /* n_bad_words sequences of ids never to be generated */
  const size_t *bad_word_lengths;        /* [n_bad_words] */
  const char *source_lang, *target_lang; /* from tokenizer_config.json; "" if not said */
} mt_config;

/* In what precision the steps of a search read the weights of their matrices. Fewer bits are read
 * faster, and decoding waits for little else. The encoder is computed once, and not rounded. */
typedef enum {
  MT_PRECISION_STORED, /* as the checkpoint has them: nothing is rounded */
  MT_PRECISION_F16,    /* binary16: 11 significant bits */
  MT_PRECISION_BF16,   /* the upper half of a float: 8 significant bits */
  /* Whole numbers from -127 to 127 and a scale for each output; what they are multiplied with is
   * rounded in the same way, row by row. Attention itself stays in floats. */
  MT_PRECISION_INT8,
  MT_N_PRECISIONS,
  MT_PRECISION_UNKNOWN = MT_N_PRECISIONS, /* of a capture that says nothing of it */
} mt_precision;
/* "stored", "f16", "bf16", "int8", "unknown". */
const char *mt_precision_name(mt_precision precision);
/* False, *precision untouched: none but "unknown" has this name. */
bool mt_precision_find(const char *name, mt_precision *precision);

/* Immutable weights, tokenizers and configuration; reference-counted, shareable between threads. */
typedef struct mt_model mt_model;

typedef struct {
  /* Called now and then while loading with a share in 0..1; return false to cancel
   * (MT_ERROR_CANCELLED). May be NULL. */
  bool (*on_progress)(void *user, double share);
  void *user;
  mt_precision precision;
} mt_load_options;

/* Open a folder, or a zip archive of one (read in place, nothing is unpacked to disk), laid out as
 *   Hugging Face Marian: config.json, generation_config.json (optional), tokenizer_config.json
 *     (optional), the weights as model.safetensors or pytorch_model.bin, or their .index.json with
 *     shards, vocab.json (target_vocab.json if separate), source.spm, target.spm; or
 *   Marian itself, as in the OPUS-MT archives: decoder.yml, the .npz, .vocab.yml and .spm files
 * that it names or that lie beside it. Other files are ignored. path: a folder or an archive.
 * options: may be NULL. Returns a model with one reference, or NULL. Every file is checked before
 * it is used; errors name it as "en-de/config.json": MT_ERROR_IO, MT_ERROR_FORMAT,
 * MT_ERROR_UNSUPPORTED (another kind of model, weights in another file format, or numbers that the
 * precision cannot hold), MT_ERROR_INPUT (no such precision), MT_ERROR_CANCELLED,
 * MT_ERROR_NO_MEMORY. Some weights are used from the mapped file, which must not
 * be changed in place meanwhile; see mt_guard_mapped_files. */
mt_model *mt_model_open(const char *path, const mt_load_options *options, mt_error *error);

/* For programs; a library must leave it to them. A mapped file that another program cuts off, or a
 * disk that goes away, ends the process (SIGBUS) when such a page is touched. Call this once,
 * before threads are started and models opened, to install a handler for the whole process: what
 * works with that model then fails from there on, with MT_ERROR_IO and the file's name, and
 * everything else goes on. A SIGBUS of any other cause goes to the handler that was there before.
 */
void mt_guard_mapped_files(void);

mt_model *mt_model_ref(mt_model *model);
void mt_model_unref(mt_model *model);

const mt_config *mt_model_config(const mt_model *model);
const char *mt_model_directory(const mt_model *model); /* as given to mt_model_open */
/* Last component of the path, without ".zip", e.g. "en-de". */
const char *mt_model_name(const mt_model *model);
/* The file format of the weights, e.g. "safetensors", "PyTorch", "Marian npz". */
const char *mt_model_format(const mt_model *model);
/* The precision it was opened with. Rounded weights are kept beside the others, so that scores and
 * captures can be exact. */
mt_precision mt_model_precision(const mt_model *model);
/* Number of distinct parameters (a tied matrix counts once). */
size_t mt_model_n_parameters(const mt_model *model);
/* Bytes of the weight files. */
size_t mt_model_file_bytes(const mt_model *model);

/* The checkpoint's tensors as stored, in file order, for listing. */
typedef struct {
  const char *name;
  const char *dtype; /* "F32", "F16", "BF16", "F64"; others are listed but not used */
  size_t n_dims;
  size_t shape[4];
  const char *file; /* base name of the file that holds it */
} mt_tensor_info;
size_t mt_model_n_tensors(const mt_model *model);
const mt_tensor_info *mt_model_tensor(const mt_model *model, size_t i);

/* A borrowed view of a matrix: [rows][cols], row i starts at data + i * stride. */
typedef struct {
  const float *data; /* NULL: there is none */
  size_t rows, cols, stride;
} mt_matrix;

static inline float
mt_matrix_at(const mt_matrix *m, size_t row, size_t col)
{
  return m->data[row * m->stride + col];
}

/* The position table [max_positions][d] that a stack adds to its embeddings (the paper, 3.5). */
mt_matrix mt_model_positions(const mt_model *model, mt_stack stack);

/* The matrix of a sinusoidal encoding, without any model: out [n][d].
 * halves:      out[p][i] = sin(p / 10000^(2i/d)), out[p][d/2 + i] = cos(same)
 * interleaved: out[p][2i] = sin(p / 10000^(2i/d)), out[p][2i+1] = cos(same)
 * kind must not be MT_POSITIONS_LEARNED; d must be even. */
void mt_positions_sinusoidal(float *out, size_t n, size_t d, mt_position_kind kind);

/* The linear map M [d][d] for which PE(p + k) = M PE(p) at every p (the paper, section 3.5: "for
 * any fixed offset k, PE(pos+k) can be represented as a linear function of PE(pos)"): a rotation
 * in each (sine, cosine) pair. out [d][d]; kind as above. */
void mt_positions_shift(float *out, size_t d, long k, mt_position_kind kind);

/* ---- Tokens -------------------------------------------------------------------------------- */

/* One token. begin and end are byte offsets into the text it came from (source) or that it
 * decodes to (target); equal for tokens without text of their own, such as </s>. As SentencePiece
 * counts, white space belongs to the word after it: "▁two" in "I have two" is bytes 6 to 10. */
typedef struct {
  int32_t id;
  const char *piece; /* as in the vocabulary, e.g. "▁cross", "</s>" */
  uint32_t begin, end;
  int32_t word;    /* running number of the whitespace word it belongs to; specials get their own */
  bool is_special; /* </s>, <pad> (as decoder start), language tokens */
} mt_token;

/* Immutable, reference-counted list of tokens with its text. */
typedef struct mt_tokens mt_tokens;
mt_tokens *mt_tokens_ref(mt_tokens *tokens);
void mt_tokens_unref(mt_tokens *tokens);
size_t mt_tokens_count(const mt_tokens *tokens);
const mt_token *mt_tokens_get(const mt_tokens *tokens, size_t i); /* i < count */
const char *mt_tokens_text(const mt_tokens *tokens);

/* How the pieces of a list say where words begin. */
typedef enum {
  MT_WORD_MARK_NONE,      /* not at all */
  MT_WORD_MARK_LOWER_BAR, /* "▁two" begins a word: SentencePiece */
  MT_WORD_MARK_SPACE,     /* "Ġtwo" begins a word: byte-level BPE (GPT-2, RoBERTa) */
  MT_WORD_MARK_HASHES,    /* "##ing" continues one: WordPiece (BERT) */
} mt_word_mark;
/* The first of these marks that a piece has. */
mt_word_mark mt_tokens_word_mark(const mt_tokens *tokens);

/* Build a list by hand (captures from elsewhere, tests). items and their strings are copied. */
mt_tokens *mt_tokens_new(const char *text, const mt_token *items, size_t n, mt_error *error);

/* Tokenise a text: a leading language code such as ">>deu<<" is one token, the rest goes through
 * SentencePiece, then vocabulary ids (<unk> where there is none), then </s>. "</s>" spelled out in
 * the text is text. Returns a list that you own. May be called from several threads at once.
 * Errors: MT_ERROR_INPUT for invalid UTF-8 (names the byte offset) and for text that holds no
 * token; MT_ERROR_TOO_LONG when the result has more than max_positions tokens. */
mt_tokens *mt_model_tokenize(const mt_model *model, mt_stack side, const char *text,
                             mt_error *error);
/* Text and offsets of target (or source) ids. Special ids and <unk> decode to nothing. Ids outside
 * the vocabulary: MT_ERROR_INPUT. Returns a list of n tokens that you own. */
mt_tokens *mt_model_detokenize(const mt_model *model, mt_stack side, const int32_t *ids, size_t n,
                               mt_error *error);
/* Piece of an id, borrowed from the model; "<unk>" for a row of the matrix without a piece, NULL if
 * it is outside the vocabulary. */
const char *mt_model_piece(const mt_model *model, mt_stack side, int32_t id);

/* ---- Target languages ---------------------------------------------------------------------- */

/* A multi-target model was trained with a token such as ">>deu<<" before each source text, which
 * says into which language to translate. How many there are: the language tokens of the source
 * vocabulary. 0: the model has one target language and needs no token. */
size_t mt_model_n_languages(const mt_model *model);
/* The code between the brackets, e.g. "deu" or "zho_Hant", of language i < n, in the order of the
 * tokens' ids. Borrowed from the model. */
const char *mt_model_language(const mt_model *model, size_t i);
/* Find a language by its code, with or without brackets. False, *i untouched: there is none. */
bool mt_model_find_language(const mt_model *model, const char *code, size_t *i);

/* The source tokens of a text to be translated into a language: as MarianTokenizer for ">>deu<< "
 * before the text. The language's token has no text of its own (begin = end = 0) and is a word of
 * its own. A code of this model that the text itself starts with has precedence. language: an
 * index, or -1 for none, which makes this mt_model_tokenize. Errors: as there, MT_ERROR_INPUT for a
 * language that the model does not have. */
mt_tokens *mt_model_tokenize_to(const mt_model *model, const char *text, int language,
                                mt_error *error);

/* ---- Hooks --------------------------------------------------------------------------------- */

typedef enum { MT_ENCODER_SELF, MT_DECODER_SELF, MT_CROSS } mt_attention_kind;
#define MT_N_KINDS 3

/* Places inside the model where a tensor can be seen and changed, in the order of computation. */
typedef enum {
  MT_SITE_EMBEDDING,        /* [rows][d]       token embedding, after scaling */
  MT_SITE_POSITION,         /* [rows][d]       position encoding about to be added */
  MT_SITE_QUERY,            /* [rows][d_head]  per head, not yet scaled by 1/sqrt(d_head) */
  MT_SITE_KEY,              /* [keys][d_head]  per head */
  MT_SITE_VALUE,            /* [keys][d_head]  per head */
  MT_SITE_SCORES,           /* [rows][keys]    per head: q·k / sqrt(d_head), mask (-inf) applied */
  MT_SITE_WEIGHTS,          /* [rows][keys]    per head: softmax of the scores; a row that a hook
                               masked altogether (-inf everywhere) attends to nothing: all 0 */
  MT_SITE_CONTEXT,          /* [rows][d_head]  per head: weights times values */
  MT_SITE_ATTENTION_OUTPUT, /* [rows][d]       after the output projection */
  MT_SITE_FEED_FORWARD,     /* [rows][d]       output of the feed-forward network */
  MT_SITE_RESIDUAL,         /* [rows][d]       stream after an attention sub-layer */
  MT_SITE_LAYER_OUTPUT,     /* [rows][d]       stream after a whole layer: its hidden state */
  MT_SITE_LOGITS,           /* [rows][vocab]   before the softmax over the vocabulary */
  MT_N_SITES,
} mt_site;
#define MT_SITE_BIT(site) (UINT32_C(1) << (site))
#define MT_ALL_SITES      (MT_SITE_BIT(MT_N_SITES) - 1)

/* What a hook is shown. data may be changed in place: row r starts at data + r * stride.
 * Rows are consecutive positions first_row, first_row + 1, … of one sequence. In a cached decoding
 * step there is one row per call, KEY and VALUE show only the newest row, and `sequence` tells the
 * beam; in a parallel pass `sequence` is 0. Cross-attention keys and values are shown when they
 * are computed, once per sentence, before the decoder's first layer. The logits of a parallel pass
 * come in blocks of up to 64 rows. LAYER_OUTPUT is shown before a stack's final layer norm. */
typedef struct {
  mt_site site;
  mt_attention_kind kind; /* RESIDUAL: the attention sub-layer it follows; other sites outside
                             attention: MT_ENCODER_SELF for the encoder stack, MT_DECODER_SELF for
                             the decoder stack */
  int layer;              /* 0-based; -1 for embedding, position and logits */
  int head;               /* 0-based; -1 where the tensor is not per head */
  size_t sequence;
  size_t first_row;
  size_t rows, cols, stride;
  float *data;
} mt_probe;

/* One emitted token while searching: the newest token of the best running hypothesis. */
typedef struct {
  size_t step;        /* 0-based */
  const int32_t *ids; /* the best running hypothesis so far, without the start token */
  size_t n_ids;
  float score; /* its sum of log-probabilities */
} mt_progress;

/* A set of callbacks. All members may be zero; `sites` is the mask of wanted sites and costs one
 * branch per site when 0. Callbacks run on the thread that called the session. */
typedef struct {
  uint32_t sites;
  void (*on_probe)(void *user, const mt_probe *probe);
  bool (*should_stop)(void *user); /* polled before every layer and step; true cancels */
  void (*on_token)(void *user, const mt_progress *progress);
  void *user;
} mt_hooks;

/* ---- Translation --------------------------------------------------------------------------- */

/* Semantics of Hugging Face `generate` (transformers, beam search and greedy search). */
typedef struct {
  size_t beam_size;  /* 1: greedy; at most 256 */
  size_t n_best;     /* hypotheses returned, 1..beam_size */
  size_t min_length; /* in target tokens incl. the start token, as in generate(min_length=) */
  size_t max_length; /* likewise; at most max_positions */
  float length_penalty;
  mt_early_stopping early_stopping;
  int language; /* target language of a multi-target model, as in mt_model_tokenize_to; -1: none */
} mt_search_params;

/* What the model's own configuration asks for, with n_best 1 and no language. model NULL: beam 1,
 * length 512. */
mt_search_params mt_search_params_default(const mt_model *model);

typedef struct {
  mt_tokens *tokens; /* output tokens, without the start token, with the final </s> if produced */
  const char *text;  /* detokenised */
  const float *logprobs; /* [count(tokens)] natural log-probability of each token: log-softmax of
                            the logits, before any rule (forced or forbidden tokens) */
  float sum_logprob;     /* their sum */
  float score; /* sum / length^length_penalty, as generate's sequences_scores: there a token
                  that was forced counts 0; greedy search reports the same formula */
} mt_hypothesis;

/* Immutable, reference-counted: source tokens and one or more hypotheses, best first. */
typedef struct mt_translation mt_translation;
mt_translation *mt_translation_ref(mt_translation *translation);
void mt_translation_unref(mt_translation *translation);
const mt_tokens *mt_translation_source(const mt_translation *translation);
size_t mt_translation_count(const mt_translation *translation);
const mt_hypothesis *mt_translation_hypothesis(const mt_translation *translation, size_t i);
double mt_translation_milliseconds(const mt_translation *translation); /* tokenising included */
/* The precision that it was made in, log-probabilities and all: that of the model, but
 * MT_PRECISION_STORED for one that was scored. */
mt_precision mt_translation_precision(const mt_translation *translation);

/* Run state for one model: buffers, key/value cache. One thread at a time. */
typedef struct mt_session mt_session;
typedef struct {
  unsigned n_threads; /* for products; 0: as many as there are cores, at most 4 */
  /* Captures of the newest translation are wanted: its attention is kept while it is made, which
   * takes a few per cent of the time that a capture else takes. */
  bool keeps_attention;
} mt_session_options;
mt_session *mt_session_new(mt_model *model, const mt_session_options *options, mt_error *error);
void mt_session_free(mt_session *session);
mt_model *mt_session_model(const mt_session *session); /* borrowed */

/* Translate one sentence. params NULL: the model's defaults; hooks NULL: none. The result has up to
 * n_best hypotheses, at least one.
 * Errors: as mt_model_tokenize_to; MT_ERROR_INPUT for parameters out of range, and where the rules
 * (bad words, minimum length) or a hook forbid every next token; MT_ERROR_FORMAT when the logits
 * are not finite numbers; MT_ERROR_CANCELLED; MT_ERROR_NO_MEMORY. After any of them the session
 * can be used as before. */
mt_translation *mt_session_translate(mt_session *session, const char *text,
                                     const mt_search_params *params, const mt_hooks *hooks,
                                     mt_error *error);

/* Many texts, such as the lines of a file, and what becomes of them. */
typedef struct {
  /* The next text, which need only stay until the next call of anything; NULL: there are no more.
   * Texts are asked for some hundred ahead. */
  const char *(*next)(void *user);
  /* Text i, counted from 0, is done: one of translation (borrowed; mt_translation_ref keeps it) and
   * error is not NULL. Called in the order of the texts, for each as soon as it and all before it
   * are done. The time of a translation is that from when its text came into the model, beside
   * others. */
  void (*on_result)(void *user, size_t i, mt_translation *translation, const mt_error *error);
  bool (*should_stop)(void *user); /* or NULL; polled before every layer and step; true cancels */
  void *user;
  /* About how many tokens go through the model together: hypotheses of all sentences in a decoding
   * step, source tokens in the encoder. More make better use of the processor and take more memory.
   * 0: a number that is good for most. */
  size_t max_tokens;
} mt_texts;

/* Translate many texts, several at a time: the result of each is what mt_session_translate gives,
 * bit for bit on processors with vector kernels (AVX2 or later), and each has its own errors, as
 * there. params NULL: the model's defaults. Callbacks run on the calling thread and must not use
 * the session. False, when on_result may not have been called for all: MT_ERROR_INPUT for
 * parameters out of range, MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY; the session can be used as
 * before. */
bool mt_session_translate_many(mt_session *session, const mt_texts *texts,
                               const mt_search_params *params, mt_error *error);

/* Teacher-force a given translation: score `target` as the output for `text`. The result has one
 * hypothesis (always ending in </s>) whose text is `target` as given, and can be captured like any
 * other. language: as in mt_search_params. Errors: as mt_model_tokenize_to for the text,
 * mt_model_tokenize for the target; MT_ERROR_CANCELLED; MT_ERROR_NO_MEMORY. */
mt_translation *mt_session_score(mt_session *session, const char *text, const char *target,
                                 int language, const mt_hooks *hooks, mt_error *error);

/* ---- Capture ------------------------------------------------------------------------------- */

enum {
  MT_CAPTURE_SCORES = 1 << 0, /* also keep all scores before the softmax (doubles the memory) */
  /* Compute it in the model's own precision, to see what rounding does to attention. Without it a
   * capture uses unrounded weights, however the translation was found. */
  MT_CAPTURE_ROUNDED = 1 << 1,
};

/* Everything one translation attended to: immutable, atomically reference-counted, one allocation
 * for the matrices. It carries its own tokens, so an axis cannot be mislabelled. */
typedef struct mt_capture mt_capture;

/* Run hypothesis `index` of a translation once, teacher-forced, in one parallel pass, and keep all
 * attention weights. Hooks see (and may change) the tensors first; what they left is captured.
 * Errors: MT_ERROR_INPUT for an index or ids that are not there, or no tokens; MT_ERROR_TOO_LONG;
 * MT_ERROR_CANCELLED; MT_ERROR_NO_MEMORY. */
mt_capture *mt_session_capture(mt_session *session, const mt_translation *translation, size_t index,
                               unsigned flags, const mt_hooks *hooks, mt_error *error);
mt_capture *mt_capture_ref(mt_capture *capture);
void mt_capture_unref(mt_capture *capture);

/* Axes. Encoder self-attention: source × source. Decoder self-attention: input × input. Cross:
 * input × source. Row t of the decoder has decoder input t (what goes in, y(t-1), <pad> first)
 * and output t (what comes out, y(t)); all three lists of the decoder have T tokens. */
const mt_tokens *mt_capture_source(const mt_capture *capture);        /* S tokens */
const mt_tokens *mt_capture_decoder_input(const mt_capture *capture); /* T tokens */
const mt_tokens *mt_capture_output(const mt_capture *capture);        /* T tokens */
/* Queries (for decoder rows the decoder input), and keys. */
const mt_tokens *mt_capture_rows(const mt_capture *capture, mt_attention_kind kind);
const mt_tokens *mt_capture_columns(const mt_capture *capture, mt_attention_kind kind);

size_t mt_capture_n_layers(const mt_capture *capture, mt_attention_kind kind); /* 0: kind absent */
size_t mt_capture_n_heads(const mt_capture *capture, mt_attention_kind kind);
bool mt_capture_has_scores(const mt_capture *capture);

/* [rows][cols] weights of one head; layer and head must be in range. The whole kind is one
 * contiguous [L][H][rows][cols] block starting at head (0, 0). */
mt_matrix mt_capture_weights(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                             size_t head);
/* Likewise the scores; data NULL unless captured with MT_CAPTURE_SCORES. */
mt_matrix mt_capture_scores(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                            size_t head);
/* One score before the softmax. Exact if scores were kept; else recovered from the weight and the
 * row's log-sum-exp, which is always kept: ln w + lse. NaN where neither is known (weight
 * underflowed to 0), -INFINITY where masked. */
float mt_capture_score_at(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                          size_t head, size_t row, size_t col);

/* Which cells cannot have weight. Tokens are counted from 0 on both axes. */
typedef struct {
  bool is_causal; /* column > row */
  size_t window;  /* |column - row| > window; 0: any distance is allowed */
} mt_attention_mask;
/* Decoder self-attention is causal (but not in a capture from elsewhere that has weights there),
 * and self-attention keeps to the model's attention_window, if it has one. */
mt_attention_mask mt_capture_mask(const mt_capture *capture, mt_attention_kind kind);
/* True if it leaves none of the cells of rows [row, row_end) and columns [col, col_end). */
bool mt_attention_mask_hides(mt_attention_mask mask, size_t row, size_t row_end, size_t col,
                             size_t col_end);
/* The same for one cell of a capture. */
bool mt_capture_is_masked(const mt_capture *capture, mt_attention_kind kind, size_t row,
                          size_t col);

/* [S][d] or [T][d]: the position encoding that was added to each token. */
mt_matrix mt_capture_positions(const mt_capture *capture, mt_stack stack);
mt_position_kind mt_capture_position_kind(const mt_capture *capture);
/* [T] log-probability of each output token given those before it: what the translation found, and
 * in its precision, if the capture is of a translation that the same model made without hooks; else
 * computed with the capture. NULL: not known. */
const float *mt_capture_logprobs(const mt_capture *capture);
const char *mt_capture_model_name(const mt_capture *capture); /* "": not known */
/* The precision in which the capture itself was computed, and the one in which its translation was
 * found. */
mt_precision mt_capture_precision(const mt_capture *capture);
mt_precision mt_capture_translation_precision(const mt_capture *capture);
/* The file that mt_capture_read_npz read it from, without its folders; "" for all others. */
const char *mt_capture_file_name(const mt_capture *capture);

/* What is known about the texts, so that nothing is called what it may not be. */
typedef enum {
  MT_NAMING_TRANSLATION, /* a source and its translation: what a session captures */
  MT_NAMING_SEQUENCES,   /* what an encoder reads and what a decoder writes, whatever the task */
  MT_NAMING_TOKENS,      /* tokens that attend to each other; in which stack is not known: kept
                            as encoder self-attention */
} mt_naming;
mt_naming mt_capture_naming(const mt_capture *capture);
/* True if both lists of the decoder are known. Else the one that is known stands for both: a
 * decoder alone (GPT) has inputs, cross-attention from elsewhere often just the output. */
bool mt_capture_has_decoder_input(const mt_capture *capture);
bool mt_capture_has_output(const mt_capture *capture);

/* Numbers that hold for every row of attention as the paper has it (each sums to 1, weights from 0
 * to 1), and need not hold in a capture from elsewhere. */
typedef struct {
  double least_sum, largest_sum; /* over all rows of a kind */
  float least, largest;          /* over all weights of a kind */
} mt_weight_range;
mt_weight_range mt_capture_weight_range(const mt_capture *capture, mt_attention_kind kind);

size_t mt_capture_bytes(const mt_capture *capture); /* memory held */

/* Build a capture by hand (from another framework, or for tests). Matrices start as zeros; fill
 * them through mt_capture_fill_* before the capture is shared, never after. */
typedef struct {
  const char *model_name;
  mt_tokens *source; /* S; NULL only if both encoder kinds are absent */
  /* T each. Of these two one may be NULL: it is not known, nothing is guessed, and the other one
   * stands for it. Both NULL: there is no decoder kind. */
  mt_tokens *decoder_input, *output;
  size_t n_layers[MT_N_KINDS], n_heads[MT_N_KINDS]; /* 0 layers: kind absent */
  size_t d_model;                                   /* 0: no positions */
  size_t attention_window;                          /* of the model, if it is restricted */
  mt_position_kind position_kind;
  unsigned flags;
  mt_naming naming;
  mt_precision precision, translation_precision;
} mt_capture_spec;
mt_capture *mt_capture_new(const mt_capture_spec *spec, mt_error *error);
float *mt_capture_fill_weights(mt_capture *capture, mt_attention_kind kind, size_t layer,
                               size_t head); /* [rows][cols] contiguous */
float *mt_capture_fill_scores(mt_capture *capture, mt_attention_kind kind, size_t layer,
                              size_t head); /* NULL without MT_CAPTURE_SCORES */
float *mt_capture_fill_row_lse(mt_capture *capture, mt_attention_kind kind, size_t layer,
                               size_t head);                           /* [rows] */
float *mt_capture_fill_positions(mt_capture *capture, mt_stack stack); /* [n][d] */
float *mt_capture_fill_logprobs(mt_capture *capture);                  /* [T] */

/* Write a capture as a NumPy .npz archive (zip of .npy, float32 and int32, C order); S, T, L, H, d
 * as above. What a capture does not have is left out.
 *   encoder_attentions [L][H][S][S], decoder_attentions [L][H][T][T], cross_attentions [L][H][T][S]
 *   encoder_scores, decoder_scores, cross_scores: the same before the softmax, if kept
 *   encoder_row_lse, decoder_row_lse, cross_row_lse [L][H][rows]: log-sum-exp of each row of scores
 *   encoder_positions [S][d], decoder_positions [T][d], positions (the longer of the two),
 *     position_kind: "halves", "interleaved" or "learned"
 *   logprobs [T]
 *   and for each list of tokens, LIST being source [S], decoder_input [T], output [T]:
 *     LIST_tokens: unicode; LIST_ids; LIST_words: number of the word; LIST_special: 0 or 1;
 *     LIST_text: the whole text; LIST_spans [n][2]: begin and end in the UTF-8 bytes of that text
 *   model: its name; naming: "translation", "sequences" or "tokens"; attention_precision and
 *     translation_precision: as mt_precision_name, if known; meta: meta_json as given, "{}" for
 *     NULL. Like position_kind and LIST_text these are 0-d unicode arrays.
 *   attention_window: 0-d integer, of a model that has one.
 * Reading it again gives the same capture, bit for bit. Writes a temporary file beside path (beside
 * the file behind it, if path is a link) and renames it: an earlier file survives any failure. */
bool mt_capture_write_npz(const mt_capture *capture, const char *path, const char *meta_json,
                          mt_error *error);

/* Read a capture from an .npz, whatever wrote it: the layout of mt_capture_write_npz, or any part
 * of it with weights in it. For files from elsewhere also
 *   attentions: weights of the kind that a 0-d unicode array `kind` names: "encoder", "decoder" or
 *     "cross". Without it they are kept as encoder self-attention and called just self-attention
 *     (MT_NAMING_TOKENS);
 *   tokens, ids, words, special, text, spans: the same as source_tokens …; of a decoder alone, as
 *     decoder_input_tokens …;
 *   a batch of one: [L][1][H][rows][cols], [1][n];
 *   float16, float32 and float64; any integers, for truth values also bool; C and Fortran order.
 * Tokens that are missing are called by their number from 1. Missing words are found by the marks
 * of the pieces (mt_tokens_word_mark), missing specials by name (</s>, [CLS], <|endoftext|>, …), a
 * missing text is put together from the pieces. `naming` is "sequences" if it is not said.
 * Rows need not sum to 1, nor weights lie between 0 and 1: they are kept as they are (an ablated or
 * merged map is a capture too; see mt_capture_weight_range). NaN and infinite weights are refused.
 * attention_window is not believed where weights lie beyond it.
 * meta_json: receives a copy of `meta` for mt_string_free, or NULL if the file has none; may be
 * NULL. Everything is checked before anything as large is allocated: at most 4096 tokens a list, of
 * at most 256 characters, 512 layers and heads, 2^27 weights in all.
 * Errors: MT_ERROR_IO, MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED (pickled objects), MT_ERROR_TOO_LONG
 * for what is beyond those limits, MT_ERROR_NO_MEMORY. */
mt_capture *mt_capture_read_npz(const char *path, char **meta_json, mt_error *error);
void mt_string_free(char *string);

/* Named arrays to an .npz, for pictures that are not captures. */
typedef struct {
  const char *name;
  size_t n_dims;
  size_t shape[4];
  const float *f32; /* exactly one of these three is set */
  const int32_t *i32;
  const char *const *strings; /* as many as the product of shape; n_dims 0: one string */
} mt_npz_array;
bool mt_npz_write(const char *path, const mt_npz_array *arrays, size_t n, mt_error *error);

/* ---- Numbers computed from a matrix -------------------------------------------------------- */

/* Entropy in bits of a row that sums to 1: -sum a log2 a. */
double mt_row_entropy(const float *row, size_t n);
/* 1 + number of strictly larger entries in the row. */
size_t mt_row_rank(const float *row, size_t n, size_t col);

/* Summary of one head on one sentence (formulas: visualiser literature, Voita 2019, Clark 2019,
 * Vig & Belinkov 2019). */
typedef struct {
  double mean_entropy;      /* bits, mean over rows */
  double confidence;        /* mean over rows of the row's maximum, special columns left out */
  double diagonal_distance; /* self: mean |i - j| weighted; cross: mean |i/(m-1) - j/(n-1)| */
  double special_share;     /* mean mass on special tokens (</s>, <pad>, language) */
  double previous_share;    /* share of rows whose largest cell is at offset -1 (self only) */
  double same_share;        /* … 0 */
  double next_share;        /* … +1 */
  double monotone_share;    /* cross: share of rows with argmax >= that of the row before */
} mt_head_metrics;
mt_head_metrics mt_head_metrics_compute(const mt_capture *capture, mt_attention_kind kind,
                                        size_t layer, size_t head);

#ifdef __cplusplus
}
#endif
#endif
