/* model.h — a model: opening it, its configuration, its position tables, its weights, and what its
 * arithmetic runs on. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_MODEL_H
#define MT_PUBLIC_MODEL_H

#include <mt/error.h>
#include <mt/files.h>
#include <mt/matrix.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Configuration --------------------------------------------------------------------------- */

/* What stands between the two maps of a feed-forward network. */
typedef enum {
  MT_ACTIVATION_RELU,
  MT_ACTIVATION_SILU,
  MT_ACTIVATION_GELU,      /* the exact one, with erf */
  MT_ACTIVATION_GELU_TANH, /* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), "gelu_new" */
} mt_activation;
#define MT_N_ACTIVATIONS 4

typedef enum {
  MT_NORM_LAYER, /* the paper, section 3.1: gain (x - mean) / sqrt(variance + epsilon) + bias */
  MT_NORM_RMS,   /* T5: gain x / sqrt(mean of squares + epsilon); there is no bias */
} mt_norm_kind;
#define MT_N_NORM_KINDS 2

typedef enum {
  MT_FEED_FORWARD_PLAIN, /* the paper, equation 2: f(x W1 + b1) W2 + b2 */
  MT_FEED_FORWARD_GATED, /* T5 from 1.1 on: (f(x W1 + b1) * (x G + g)) W2 + b2, number by number */
} mt_feed_forward_kind;
#define MT_N_FEED_FORWARD_KINDS 2

typedef enum {
  MT_POSITIONS_SINUSOIDAL_HALVES,      /* Marian: sines in the first d/2 columns, then cosines */
  MT_POSITIONS_SINUSOIDAL_INTERLEAVED, /* the paper, section 3.5: sine and cosine alternate */
  MT_POSITIONS_LEARNED,                /* a table in the checkpoint */
  MT_POSITIONS_RELATIVE,               /* T5: nothing is added to embeddings; in self-attention a
                                          number is added to each score, by head and by distance */
  MT_POSITIONS_SINUSOIDAL_FAIRSEQ,     /* M2M-100: as Marian's, whose last frequency is 1/10000 */
} mt_position_kind;
#define MT_N_POSITION_KINDS 5

/* How a model that translates between several languages is told which ones. */
typedef enum {
  MT_LANGUAGES_SOURCE_TOKEN, /* Marian, MADLAD: the target's token stands before the source text */
  MT_LANGUAGES_FORCED,       /* M2M-100, NLLB, mBART-50: the source's token stands with the source
                                text, the target's is the first token of the translation */
  MT_LANGUAGES_START,        /* mBART-cc25: as before, but the decoder starts with the target's */
  MT_LANGUAGES_NONE,         /* T5, BART: not at all, or in the words of the text */
} mt_language_mode;

/* What such a model was trained to read at a time. */
typedef enum {
  MT_UNIT_SENTENCE, /* translations: a text is cut into sentences first */
  MT_UNIT_TEXT,     /* summaries: the whole text */
} mt_text_unit;

typedef enum { MT_STACK_ENCODER, MT_STACK_DECODER } mt_stack;
#define MT_N_STACKS 2

typedef enum { MT_ENCODER_SELF, MT_DECODER_SELF, MT_CROSS } mt_attention_kind;
#define MT_N_KINDS 3

/* Where generation stops with more than one beam (Hugging Face `early_stopping`). */
typedef enum {
  MT_EARLY_STOPPING_FALSE, /* heuristic: stop when no running beam can beat the worst finished */
  MT_EARLY_STOPPING_TRUE,  /* stop as soon as `beam_size` hypotheses are finished */
  MT_EARLY_STOPPING_NEVER, /* only when the best attainable score of a running beam is worse */
} mt_early_stopping;

/* A list of token ids. */
typedef struct {
  const int32_t *ids;
  size_t n;
} mt_id_list;

/* What is added to the score of the last id of a sequence where the ones before it stand. */
typedef struct {
  mt_id_list sequence;
  float bias;
} mt_sequence_bias;

/* How to search, beyond what stands in mt_config itself: the other keys that `generate` of
 * transformers reads. {0}: nothing is asked for. Penalties of 0 are none, as those of 1. */
typedef struct {
  bool renormalize_logits; /* probabilities are made anew from what the rules leave */
  float repetition_penalty, encoder_repetition_penalty;
  size_t no_repeat_ngram_size, encoder_no_repeat_ngram_size; /* 0: none */
  size_t max_new_tokens, min_new_tokens; /* 0: not said; else they win over the lengths */
  mt_id_list more_eos_ids;               /* that end a translation as eos_id does */
  mt_id_list more_forced_eos_ids;        /* besides forced_eos_id */
  mt_id_list suppressed;                 /* never to be generated */
  mt_id_list begin_suppressed;           /* nor as the first token */
  const mt_sequence_bias *biases;        /* [n_biases] */
  size_t n_biases;
  size_t decay_start;               /* tokens, from which on ... */
  float decay_factor;               /* ... an end becomes likelier with every one; 0: it does not */
  const int32_t *forced_ids;        /* [n_forced_ids] by position, 0 is the start token; -1: none */
  size_t n_forced_ids, last_forced; /* the last position of the list */
  /* Words that have a row in the tables and no probability: <pad> of a Marian archive, which has
   * no such word, and, where probabilities are made anew, what is never to be generated. */
  mt_id_list left_out;
  bool left_out_exist;      /* they are words, and penalties are made to scores that know them */
  const char *not_honoured; /* "do_sample, top_k": keys that ask for something else; or NULL */
} mt_generation;

typedef struct mt_config mt_config;

/* What a model can be told to do, by words before the text or by how it is searched: an entry of
 * task_specific_params in config.json. */
typedef struct {
  const char *name;   /* "translation_en_to_de": visible ASCII without spaces */
  const char *prefix; /* "translate English to German: ", before the source text; "": nothing */
  /* The model's configuration with the keys of the task put over its generation. What of them is
   * not done stands in its generation.not_honoured. It has no tasks of its own. */
  const mt_config *settings;
} mt_task;
#define MT_MAX_TASKS 32
/* Room for the name of a task, and for a prefix, and their end. */
#define MT_TASK_SIZE   104
#define MT_PREFIX_SIZE 257

/* What config.json and generation_config.json say. Read-only for callers. */
struct mt_config {
  /* The model_type of its family, such as "marian", for messages and captions. What is computed
   * follows from the other members and never from this one. */
  const char *family;
  size_t d_model;
  size_t n_layers[MT_N_STACKS];
  size_t n_heads[MT_N_STACKS];
  size_t d_head[MT_N_STACKS];        /* columns of a head: d_model / n_heads */
  double score_divisor[MT_N_STACKS]; /* of q·k: sqrt(d_head), the paper, equation 1 */
  size_t d_ffn[MT_N_STACKS];
  size_t vocab_size[MT_N_STACKS]; /* source and target */
  size_t max_positions;
  /* Self-attention sees keys at most so far from the query, the paper, section 4 ("restricted"); 0:
   * all. Regard's own key in config.json, which other programs do not know. */
  size_t attention_window;
  mt_norm_kind norm_kind;
  double norm_epsilon; /* added to the variance; 1e-5 in the paper's layer norm */
  mt_feed_forward_kind feed_forward_kind;
  mt_activation activation;
  mt_position_kind position_kind;
  size_t position_offset; /* rows of the position table before that of the first token */
  /* Relative positions (T5): buckets of distances, the distance from which all are one bucket, and
   * whether each layer has a table of its own. */
  size_t n_buckets, max_distance;
  bool bias_each_layer;
  float output_scale;    /* of the decoder's output before the output matrix: d^-½ in T5, else 1 */
  bool scale_embedding;  /* multiply embeddings by sqrt(d_model), the paper, section 3.4 */
  bool normalize_before; /* pre-norm instead of the paper's post-norm */
  bool normalize_embedding; /* layer norm after embedding + position */
  bool add_final_layer_norm;
  bool share_embeddings;    /* one table for source and target */
  bool tie_word_embeddings; /* output matrix is the target embedding */
  int32_t pad_id, eos_id, bos_id, unk_id, decoder_start_id;
  int32_t forced_eos_id;               /* -1: none */
  int32_t forced_bos_id;               /* -1: none */
  mt_id_list source_begin, source_end; /* that a tokenizer puts before and after a source text */
  mt_language_mode language_mode;
  bool language_last; /* the source's token stands after the text and </s>, not before */
  mt_text_unit unit;
  bool reads_prefix; /* it was trained to read what to do before the text (T5) */
  /* Defaults for generation. */
  size_t num_beams, max_length, min_length;
  float length_penalty;
  mt_early_stopping early_stopping;
  size_t n_bad_words;
  const int32_t *const *bad_words; /* n_bad_words sequences of ids never to be generated */
  const size_t *bad_word_lengths;  /* [n_bad_words] */
  mt_generation generation;
  const char *source_lang, *target_lang; /* from tokenizer_config.json; "" if not said */
  const mt_task *tasks;                  /* [n_tasks] in the order of the file */
  size_t n_tasks;
};

/* ---- Precision of weights -------------------------------------------------------------------- */

/* In what precision a search reads the weights of its matrices. Steps wait for little else than
 * weights, and fewer bits are read faster. The encoder is computed once for all positions and is
 * not rounded, but for the two that say so: they are for whole files, where it is a third of the
 * work. In each of them a row of a product is the same, bit for bit, whatever is beside it, so that
 * a translation does not depend on what is translated with it. */
typedef enum {
  MT_PRECISION_STORED, /* as the checkpoint has them: nothing is rounded */
  MT_PRECISION_F16,    /* binary16: 11 significant bits */
  /* The upper half of a float, 8 significant bits; what the weights are multiplied with is rounded
   * to it, too, and sums are floats. Attention itself stays in floats. Many rows gain where the
   * processor multiplies such numbers itself (AVX512-BF16, AMX-BF16); others round all the same,
   * and products come out with the same bits. Only AMX adds in another order. */
  MT_PRECISION_BF16,
  /* The same for the encoder, and for the keys and values that are made of its output. */
  MT_PRECISION_BF16_ALL,
  /* Whole numbers from -127 to 127 and a scale for each output; what they are multiplied with is
   * rounded in the same way, row by row. Attention itself stays in floats. */
  MT_PRECISION_INT8,
  MT_PRECISION_INT8_ALL, /* the same for the encoder, and the keys and values made of its output */
  MT_N_PRECISIONS,
  MT_PRECISION_UNKNOWN = MT_N_PRECISIONS, /* of a capture that says nothing of it */
} mt_precision;
/* "stored", "f16", "bf16", "bf16-all", "int8", "int8-all", "unknown". */
const char *mt_precision_name(mt_precision precision);
/* False, *precision untouched: none but "unknown" has this name. */
bool mt_precision_find(const char *name, mt_precision *precision);

/* ---- Models ---------------------------------------------------------------------------------- */

/* Immutable weights, tokenizers and configuration; reference-counted, shareable between threads. */
typedef struct mt_model mt_model;

typedef struct {
  /* Called now and then while loading with a share in 0..1; return false to cancel
   * (MT_ERROR_CANCELLED). May be NULL. */
  bool (*on_progress)(void *user, double share);
  void *user;
  mt_precision precision;
  /* A folder, made if need be, where rounded matrices are kept in a file for each model and
   * precision: opening the model again maps that file instead of rounding. It is used only if the
   * files of the model have the sizes and times that they had, else it is written anew; the numbers
   * that were looked at when it was made are then not looked at again. NULL: none. */
  const char *cache;
  /* The most bytes for copies of matrices whose only gain is speed, because they lie in large pages
   * and in the order in which products read them; where they would need more, matrices are read
   * from the mapped file, and sums of products may differ in their last bits. 0: no limit. */
  size_t most_memory;
} mt_load_options;

/* Open a folder, or a zip archive of one (read in place, nothing is unpacked to disk), laid out as
 *   Hugging Face: config.json, generation_config.json (optional), tokenizer_config.json (optional),
 *     the weights as model.safetensors or pytorch_model.bin, or their .index.json with shards, and
 *     a tokenizer: vocab.json (target_vocab.json if separate) with source.spm and target.spm, or
 *     with sentencepiece.bpe.model or merges.txt; a SentencePiece model alone; or tokenizer.json
 *     alone; or
 *   Marian itself, as in the OPUS-MT archives: decoder.yml, the .npz, .vocab.yml and .spm files
 *     that it names or that lie beside it; or
 *   CTranslate2: model.bin, config.json, shared_vocabulary.json (or source_vocabulary.json and
 *     target_vocabulary.json), source.spm and target.spm, or sentencepiece.model; and a package of
 *     Argos with such a folder in it.
 * Other files are ignored. path: a folder or an archive.
 * options: may be NULL. Returns a model with one reference, or NULL. Every file is checked before
 * it is used; errors name it as "en-de/config.json": MT_ERROR_IO, MT_ERROR_FORMAT,
 * MT_ERROR_UNSUPPORTED (another kind of model, weights in another file format, or numbers that the
 * precision cannot hold), MT_ERROR_INPUT (no such precision), MT_ERROR_CANCELLED,
 * MT_ERROR_NO_MEMORY. Some weights are used from the mapped file, which must not
 * be changed in place meanwhile; see mt_guard_mapped_files. */
mt_model *mt_model_open(const char *path, const mt_load_options *options, mt_error *error);
/* Whether models whose config.json has this model_type, such as "marian", are of a family that is
 * run; any other, and NULL, is MT_ERROR_UNSUPPORTED when it is opened. */
bool mt_model_type_is_run(const char *model_type);

/* Which files of a folder or archive with a config.json the tokenizer is read from: names [*n],
 * constants; of bytes there are none. Nothing large is read. Errors: MT_ERROR_IO, with the names,
 * if there is no tokenizer as the family has it; MT_ERROR_UNSUPPORTED if config.json is not
 * understood, of which mt_model_open will say more. */
#define MT_MODEL_TEXT_FILES 6
bool mt_model_text_files(const mt_files *files, const char *names[MT_MODEL_TEXT_FILES], size_t *n,
                         mt_error *error);

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
/* What tells trained models apart, whatever they are called, without reading all of them: a hash of
 * sizes, norms, biases and a row of each output projection. */
uint64_t mt_model_fingerprint(const mt_model *model);
/* The file format of the weights, e.g. "safetensors", "PyTorch", "Marian npz". */
const char *mt_model_format(const mt_model *model);
/* Which whole numbers the file has for matrices, "I8" or "I16", if they are multiplied out with
 * their scales: the model computes with floats, but only those whole numbers are exact. NULL: none.
 */
const char *mt_model_multiplied_out(const mt_model *model);
/* The precision it was opened with. Rounded weights are kept beside the others, so that scores and
 * captures can be exact. */
mt_precision mt_model_precision(const mt_model *model);
/* What became of the cache that was asked for. */
typedef enum {
  MT_CACHE_NONE,    /* none was asked for, or nothing is rounded */
  MT_CACHE_READ,    /* the rounded matrices were there */
  MT_CACHE_WRITTEN, /* they were rounded, and are there now */
  MT_CACHE_FAILED,  /* they were rounded, and could not be written */
} mt_cache_state;
/* *why, which may be NULL: a sentence that says why it failed, borrowed; else NULL. */
mt_cache_state mt_model_cache(const mt_model *model, const char **why);
/* The caches in a folder, also of models that are gone and those that were never finished: how many
 * files and bytes. A folder that is not there has none. Errors: MT_ERROR_IO. */
bool mt_cache_measure(const char *folder, size_t *n_files, size_t *n_bytes, mt_error *error);
/* Removes them, and nothing else. Models that were opened with them stay as they are. */
bool mt_cache_remove(const char *folder, size_t *n_files, size_t *n_bytes, mt_error *error);
/* Number of distinct parameters (a tied matrix counts once). */
size_t mt_model_n_parameters(const mt_model *model);
/* Bytes of the weight files. */
size_t mt_model_file_bytes(const mt_model *model);

/* Logits of the next token, as many as the target has words: those that have no probability become
 * -INFINITY (mt_generation.left_out; mostly none, or <pad>). Whoever makes probabilities of logits
 * that were seen does this before, and so does the engine, so that log p, entropy, effects and
 * whatever else is made of them are of one distribution. */
void mt_model_leave_out(const mt_model *model, float *logits);

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

/* ---- Position encodings ---------------------------------------------------------------------- */

/* The position table [max_positions][d] that a stack adds to its embeddings (the paper, 3.5); data
 * NULL: positions are relative, and there is none. */
mt_matrix mt_model_positions(const mt_model *model, mt_stack stack);

/* The matrix of a sinusoidal encoding, without any model: out [n][d].
 * halves:      out[p][i] = sin(p / 10000^(2i/d)), out[p][d/2 + i] = cos(same)
 * interleaved: out[p][2i] = sin(p / 10000^(2i/d)), out[p][2i+1] = cos(same)
 * fairseq:     out[p][i] = sin(p / 10000^(i/(d/2 - 1))), out[p][d/2 + i] = cos(same)
 * kind must be one that is computed; d must be even. */
void mt_positions_sinusoidal(float *out, size_t n, size_t d, mt_position_kind kind);

/* The linear map M [d][d] for which PE(p + k) = M PE(p) at every p (the paper, section 3.5: "for
 * any fixed offset k, PE(pos+k) can be represented as a linear function of PE(pos)"): a rotation
 * in each (sine, cosine) pair. out [d][d]; kind as above. */
void mt_positions_shift(float *out, size_t d, long k, mt_position_kind kind);

/* Radians from a position to the next in pair 0 … d/2 - 1 of a sine and a cosine; 0: the kind is no
 * sinusoid. */
double mt_positions_frequency(size_t pair, size_t d, mt_position_kind kind);

/* Relative positions, MT_POSITIONS_RELATIVE (Raffel et al. 2020, section 2.1): to a score of
 * self-attention B[bucket][head] is added. The bucket of a distance, that of the key less that of
 * the query: one for each small distance, ever wider ones up to max_distance, and one for all from
 * there on; in an encoder both directions have half of them. 0 … n_buckets - 1. */
size_t mt_relative_bucket(const mt_config *config, mt_stack stack, long distance);
/* B [n_buckets][n_heads] of a layer, mostly the same for all of a stack; data NULL: there is none.
 */
mt_matrix mt_model_relative_table(const mt_model *model, mt_stack stack, size_t layer);
/* What is added to a score of a head at a distance; 0 where nothing is. */
float mt_model_score_bias(const mt_model *model, mt_attention_kind kind, size_t layer, size_t head,
                          long distance);

/* ---- Weights --------------------------------------------------------------------------------- */

/* The weights of a model that explain what it computes.
 *
 * All of them as 32-bit floats, as the checkpoint has them, whatever precision translates. Matrices
 * are borrowed from the model. A linear map keeps its weights as [n_out][n_in]: y = W x + b. */

/* The four maps of a head, the paper 3.2.2. */
typedef enum {
  MT_MAP_QUERY,  /* [d_head][d]: q = W x + b, x what the sub-layer reads */
  MT_MAP_KEY,    /* [d_head][d]; of cross-attention, x is the encoder's output */
  MT_MAP_VALUE,  /* [d_head][d] */
  MT_MAP_OUTPUT, /* [d][d_head]: what this head adds is W context; the bias is of all heads */
  MT_N_MAPS,
} mt_map;
/* Layer and head from 0, which the model must have. */
mt_matrix mt_model_head_map(const mt_model *model, mt_attention_kind kind, size_t layer,
                            size_t head, mt_map map);
/* Of query, key and value [d_head], of the output [d]; NULL: none. */
const float *mt_model_head_bias(const mt_model *model, mt_attention_kind kind, size_t layer,
                                size_t head, mt_map map);

/* The layer norms of a model, the paper 3.1 and 5.4. */
typedef enum {
  MT_NORM_ATTENTION,    /* of an attention sub-layer, named by its kind */
  MT_NORM_FEED_FORWARD, /* of a layer; kind: MT_ENCODER_SELF or MT_DECODER_SELF says which stack */
  MT_NORM_EMBEDDING,    /* of a stack, after its embedding; layer is not looked at */
  MT_NORM_FINAL,        /* of a stack, at its end; neither is it here */
} mt_norm_place;
/* gain and bias [d], of the norm that mt_config's norm_kind and norm_epsilon say; bias NULL: there
 * is none, as in RMS norms. False: the model does not have this norm. */
bool mt_model_norm(const mt_model *model, mt_norm_place place, mt_attention_kind kind, size_t layer,
                   const float **gain, const float **bias);

/* The maps of a layer's feed-forward network, the paper 3.3. */
typedef enum {
  MT_MAP_HIDDEN, /* [d_ffn][d]: hidden = f(W x + b) */
  MT_MAP_BACK,   /* [d][d_ffn]: a neuron's column is what it writes to the stream */
  MT_MAP_GATE,   /* [d_ffn][d]: hidden is multiplied with G x + g; data NULL in plain networks */
} mt_feed_forward_map;
/* bias [rows] or NULL. */
mt_matrix mt_model_feed_forward_map(const mt_model *model, mt_stack stack, size_t layer,
                                    mt_feed_forward_map map, const float **bias);

/* [vocab_size][d]: a row for each piece, before it is scaled by mt_config's scale_embedding. */
mt_matrix mt_model_embedding(const mt_model *model, mt_stack stack);
/* [target vocabulary][d]: logits = W x + b of the decoder's output; bias [target vocabulary] or
 * NULL. */
mt_matrix mt_model_output_map(const mt_model *model, const float **bias);

/* ---- What the arithmetic runs on ------------------------------------------------------------- */

/* What the arithmetic runs on in this process, for benchmarks and for reports of faults. */
typedef struct {
  const char *kernels; /* "plain", "avx2", "avx512", "neon": products of a few rows, in floats */
  const char *bf16_kernels; /* "avx512-bf16", "amx-bf16"; as kernels: no instructions for bf16 */
  const char *int8_kernels; /* "plain", "avx2", "avx512-vnni", "neon", "neon-sdot" */
  const char *blas; /* "OpenBLAS 0.3.21 …", where the processor has no vectors, and in training */
  const char *blas_core; /* the processor that it takes this one for, e.g. "Haswell" */
} mt_engine_info;
/* The strings are static. */
mt_engine_info mt_engine_get_info(void);

#ifdef __cplusplus
}
#endif
#endif
