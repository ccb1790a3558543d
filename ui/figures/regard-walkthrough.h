/* regard-walkthrough.h — one head and one query as numbers: equation 1 of the paper, and what leads
 * to it and from it; and the picture of them, with cards that explain it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A RegardWalkthrough is computed once from a trace (in a thread, if one likes) and never changes;
 * the pictures of the page Inside are drawn from it. Everything the pass computed is as the trace
 * has it; what the trace does not have (products, exponentials, what a head adds) is computed here
 * in double precision. Atomically reference-counted.
 */
#pragma once

#include "figures/regard-figure.h"

G_BEGIN_DECLS

/* ---- Similarity: other ways to compare the same q and k -------------------------------------- */

typedef enum {
  REGARD_SIMILARITY_DOT,        /* q·k */
  REGARD_SIMILARITY_SCALED,     /* q·k / √d_k: Vaswani 2017 */
  REGARD_SIMILARITY_GENERAL,    /* q·(W k): Luong 2015 */
  REGARD_SIMILARITY_CONCAT,     /* v·tanh(W [q; k]): Luong 2015 */
  REGARD_SIMILARITY_PERCEPTRON, /* v·tanh(W q + U k), additive: Bahdanau 2015 */
  REGARD_SIMILARITY_COSINE,     /* q·k / (‖q‖ ‖k‖) */
  REGARD_N_SIMILARITIES,
} RegardSimilarity;

typedef struct {
  const char *id;      /* "perceptron" */
  const char *name;    /* translatable */
  const char *formula; /* "v·tanh(Wq + Uk)" */
  gboolean has_maps;   /* needs matrices that no Transformer has */
} RegardSimilarityInfo;
const RegardSimilarityInfo *regard_similarity_info(RegardSimilarity similarity);

/* What stands for matrices that the model does not have. */
typedef enum { REGARD_MAPS_IDENTITY, REGARD_MAPS_RANDOM } RegardSimilarityMaps;
#define REGARD_RANDOM_SEED 1
/* The matrices themselves: general W [d][d]; concat W [d][2 d], v [d]; perceptron W, U [d][d],
 * v [d]. Identity: W = U = I (concat: [I I]), v all 1. Random: normal numbers of variance 1/columns
 * (v: 1), the same for the same seed everywhere. NULL where a form has none. Caller frees. */
typedef struct {
  double *w, *u, *v;
} RegardSimilarityWeights;
void regard_similarity_weights(RegardSimilarity similarity, RegardSimilarityMaps maps, guint d_head,
                               RegardSimilarityWeights *weights);
void regard_similarity_weights_clear(RegardSimilarityWeights *weights);
/* Scores of one query with n keys [n][d_head] of this stride, into out [n]. */
void regard_similarity_scores(RegardSimilarity similarity, const RegardSimilarityWeights *weights,
                              const float *query, mt_matrix keys, double *out);

/* ---- A row of weights ------------------------------------------------------------------------ */

/* softmax(scores / divisor) over the keys that are allowed; weights may be scores. */
/* [rows][columns], of this variance, by Box and Muller. Caller frees with g_free. */
double *regard_random_matrix(guint rows, guint columns, double variance, guint64 *state);

void regard_softmax(const double *scores, const gboolean *allowed, guint n, double divisor,
                    double *weights);
typedef struct {
  double entropy; /* bits */
  double largest;
  double
      gradient; /* ‖diag(a) − a aᵀ‖, Frobenius: how much of a gradient the softmax lets through */
} RegardRowNumbers;
RegardRowNumbers regard_row_numbers(const double *weights, guint n);

/* ---- One head, one query --------------------------------------------------------------------- */

typedef struct {
  /*< private >*/
  RegardSubject subject;
  mt_model *model;
  mt_trace *trace;
  /*< public, read only >*/
  mt_attention_kind kind;
  guint layer, head, query; /* from 0 */
  guint key;                /* the cell that is explained */
  guint rows, cols;         /* queries, keys */
  guint d, d_head, n_heads;
  double score_divisor;          /* of q·k: √d_k, or 1 */
  gboolean is_divided;           /* it is √d_k */
  char **row_texts, **col_texts; /* as people read them; of rows of the decoder "▁zu → ▁müde" */
  char *interventions;           /* that the pass was made with; NULL: none */
  gboolean is_changed; /* the weights are not the softmax of the scores: changes made others */

  const float *stream;       /* [d] of the query's token, before the sub-layer */
  float *read;               /* [rows][d] what W_Q reads: the stream, normed in pre-norm models */
  float *read_keys;          /* [cols][d] what W_K and W_V read */
  mt_matrix w[MT_N_MAPS];    /* maps of the head, as mt_model_head_map */
  const float *b[MT_N_MAPS]; /* their biases, or NULL */
  mt_matrix q, k, v;         /* [rows][d_head], [cols][d_head] */
  mt_matrix score_bias;      /* [rows][cols] of relative positions; data NULL: there is none */
  mt_matrix scores, weights; /* [rows][cols] */
  mt_matrix context;         /* [rows][d_head] */
  mt_matrix output;          /* [rows][d] of all heads, b_O included */

  /* Of the one query, [cols]. */
  gboolean *allowed; /* not masked */
  double *product;   /* q·k */
  double *scaled;    /* / score_divisor + score_bias: the score */
  double *exp;       /* exp(scaled − largest); 0 where masked */
  double sum;        /* of exp */
  double *weight;    /* exp / sum */

  /* Of all heads of the layer, for the one query. */
  float *contexts; /* [n_heads][d_head] */
  float *added;    /* [n_heads][d] through W_O, without its bias */
  double *added_norm,
      *added_along;             /* [n_heads]: its norm, and its part in the direction of output */
  double bias_norm, bias_along; /* of b_O */
  double output_norm, stream_norm;

  double domain; /* of the colours of q, k, v, context: some 2.2 times the root mean square of
                     the layer, rounded up to few steps; what is beyond has the last colour */
  /* Over all queries and keys of the sentence that see each other. */
  double spread;        /* standard deviation of q·k */
  double spread_theory; /* √d_k times those of the numbers in q and in k, were they independent */

  mt_score_parts parts; /* of the score of (query, key); n 0: it is masked */
} RegardWalkthrough;

/* What a trace needs for it; heads of one layer. */
void regard_walkthrough_requests(mt_attention_kind kind, guint layer,
                                 mt_activation_requests *requests);
/* key -1: that with the largest weight. Places beyond the end are the last ones. changes: as
 * mt_capture_interventions; may be NULL. NULL and an error if the trace has not what is needed. */
RegardWalkthrough *regard_walkthrough_new(mt_model *model, mt_trace *trace, mt_attention_kind kind,
                                          guint layer, guint head, guint query, int key,
                                          const mt_interventions *interventions, mt_error *error);
REGARD_DECLARE_SUBJECT(RegardWalkthrough, regard_walkthrough)

/* What relative positions add to a score, 0 where they do not; and the bucket of a key's distance
 * from the query, from 0, where they do. */
double regard_walkthrough_bias(const RegardWalkthrough *inside, guint query, guint key);
gsize regard_walkthrough_bucket(const RegardWalkthrough *inside, guint key);

/* A part as people read it: "▁tired’s embedding", "position 12", "cross 3.5", "feed-forward 3",
 * "biases". of_key: which of the cell's tokens it is of. Caller frees. */
char *regard_walkthrough_part_name(const RegardWalkthrough *inside, mt_component part,
                                   gboolean of_key);

/* "Cross-attention · layer 5 · head 1", in the language in force. Caller frees. */
char *regard_walkthrough_dup_title(const RegardWalkthrough *inside);
/* "token ▁tired × cross 3.5"; what relative positions add has no two sides: "position, distance
 * -3". Caller frees. */
char *regard_walkthrough_pair_name(const RegardWalkthrough *inside, const mt_score_part *part);

/* ---- The picture ----------------------------------------------------------------------------- */

/* Cards are frames of the figure by these numbers. */
typedef enum {
  REGARD_WALKTHROUGH_ROW = 1 << 0,        /* equation 1 for the query; or for all of them */
  REGARD_WALKTHROUGH_SIMILARITY = 1 << 1, /* the same q and k compared in other ways */
  REGARD_WALKTHROUGH_ROOT = 1 << 2,       /* why √d_k */
  REGARD_WALKTHROUGH_CELL = 1 << 3,       /* why this cell */
  REGARD_WALKTHROUGH_HEADS = 1 << 4,      /* all heads of the layer */
  REGARD_WALKTHROUGH_ALL = (1 << 5) - 1,
} RegardWalkthroughPart;

/* The steps of the row, in order; all of them: REGARD_WALKTHROUGH_N_STEPS. */
typedef enum {
  REGARD_STEP_QUERY = 1, /* the stream through W_Q */
  REGARD_STEP_PRODUCT,   /* q·k */
  REGARD_STEP_SCALE,     /* ÷ √d_k, or + what relative positions add */
  REGARD_STEP_MASK,
  REGARD_STEP_EXP,
  REGARD_STEP_WEIGHT,  /* ÷ sum */
  REGARD_STEP_CONTEXT, /* weights times values, and their sum */
  REGARD_STEP_OUTPUT,  /* through W_O, to the stream */
} RegardWalkthroughStep;
#define REGARD_WALKTHROUGH_N_STEPS 8

typedef struct {
  guint parts;       /* RegardWalkthroughPart */
  guint step;        /* what is shown of the row: up to this one */
  gboolean all_rows; /* matrices of all queries instead of one row */
  gboolean maps;     /* W_Q as well */
  RegardSimilarityMaps similarity_maps;
  guint made_up;       /* d_k of made-up numbers in the card Why √d_k; 0: there are none */
  double divisor;      /* a third one beside 1 and √d_k; 0: none */
  gboolean says_step;  /* what the step did stands at its column: on the page, not in files */
  gboolean is_away;    /* the step of the mask, shown on a head of another kind than one looks at */
  gboolean one_layout; /* nothing moves from step to step */
} RegardWalkthroughOptions;
#define REGARD_WALKTHROUGH_OPTIONS_INIT                                                           \
  {                                                                                               \
    REGARD_WALKTHROUGH_ALL, REGARD_WALKTHROUGH_N_STEPS, FALSE, FALSE, REGARD_MAPS_IDENTITY, 0, 0, \
        FALSE, FALSE, FALSE                                                                       \
  }

/* "The query times each key: one number for each token.", what the step of the options did;
 * translated. inside may be NULL: of the paper. */
const char *regard_walkthrough_step_text(const RegardWalkthrough *inside,
                                         const RegardWalkthroughOptions *look);

/* What q·k is divided by in the card "Why √d_k": 1, √d_k and that of the options. Returns how many.
 * And the weights of the row with one of them [cols]. */
guint regard_walkthrough_divisors(const RegardWalkthrough *inside,
                                  const RegardWalkthroughOptions *look, double divisors[3]);
void regard_walkthrough_divided(const RegardWalkthrough *inside, double divisor, double *weights);

/* What files hold, with what the look asks for; or one of them by its id. Caller unrefs. */
guint regard_walkthrough_n_matrices(const RegardWalkthrough *inside,
                                    const RegardWalkthroughOptions *look);
RegardMatrix *regard_walkthrough_matrix(const RegardWalkthrough *inside,
                                        const RegardWalkthroughOptions *look, guint i);
RegardMatrix *regard_walkthrough_matrix_named(const RegardWalkthrough *inside,
                                              const RegardWalkthroughOptions *look, const char *id);
/* Keeps a reference of inside. Its matrices are all that the numbers can be computed from:
 * docs/inside.md names them. */
RegardFigure *regard_figure_new_walkthrough(RegardWalkthrough *inside,
                                            const RegardWalkthroughOptions *look,
                                            const RegardFigureStyle *style);

/* What its spots are: part, and what row and col count. */
typedef enum {
  REGARD_SPOT_STREAM, /* col: dimension of d; so READ */
  REGARD_SPOT_READ,
  REGARD_SPOT_W_QUERY, /* row: component of q, col: dimension */
  REGARD_SPOT_QUERY,   /* col: component */
  REGARD_SPOT_TOKEN,   /* row: key */
  REGARD_SPOT_KEY,     /* row: key, col: component; so VALUE and WEIGHTED */
  REGARD_SPOT_PRODUCT, /* row: key; so the next five */
  REGARD_SPOT_BIAS,
  REGARD_SPOT_SCALED,
  REGARD_SPOT_MASK,
  REGARD_SPOT_EXP,
  REGARD_SPOT_WEIGHT,
  REGARD_SPOT_SUM,
  REGARD_SPOT_VALUE,
  REGARD_SPOT_WEIGHTED,
  REGARD_SPOT_CONTEXT,      /* col: component */
  REGARD_SPOT_ADDED,        /* col: dimension */
  REGARD_SPOT_SIMILARITY,   /* row: RegardSimilarity, col: key */
  REGARD_SPOT_ROOT,         /* row: divisor, col: key; col -1: the numbers of the row */
  REGARD_SPOT_SPREAD,       /* row 0: found, 1: √d_k, 2: of independent numbers */
  REGARD_SPOT_PART,         /* row: bar of why this cell */
  REGARD_SPOT_HEAD,         /* row: head */
  REGARD_SPOT_HEAD_CONTEXT, /* row: head, col: component */
  REGARD_SPOT_MADE_UP,      /* row: divisor, col: key, or -1: its numbers; row 2: the d_k of it */
  REGARD_SPOT_ALL_PRODUCT,  /* of all queries: row: query, col: key; so the next three */
  REGARD_SPOT_ALL_BIAS,
  REGARD_SPOT_ALL_SCALED,
  REGARD_SPOT_ALL_WEIGHT,
  REGARD_SPOT_ALL_CONTEXT, /* row: query, col: component */
} RegardWalkthroughSpot;

G_END_DECLS
