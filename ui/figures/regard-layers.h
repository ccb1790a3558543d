/* regard-layers.h — what each sub-layer does to each token, as numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Computed once from a trace (in a thread, if one likes) and never changed; the pictures of the
 * page Layers are drawn from it. Atomically reference-counted.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* One stack. */
typedef struct {
  guint n_points, n_tokens;
  char **token_texts; /* as people read them: "▁tired"; of the decoder "▁zu → ▁müde" */
  char **point_names; /* "embedding", "1 self", "1 cross", "1 ffn", … */
  mt_stream_numbers *numbers; /* [n_points][n_tokens] */
  double *collapse;           /* [n_points] mean cosine between tokens; NAN: one token */
  double *active;             /* [n_points][n_tokens] share of neurons; NAN but at networks */
  mt_lens *lens;              /* NULL: not asked for */
} RegardLayersStack;

typedef struct {
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public, read only >*/
  mt_model *model;
  mt_trace *trace;
  char *changes; /* that the pass was made with; NULL: none */
  RegardLayersStack stacks[MT_N_STACKS];
} RegardLayers;

/* What a trace needs for it; with_tokens: also for contributions of tokens, which is more. */
void regard_layers_taps(mt_taps *taps, gboolean with_tokens);
/* with_lens: the logit lens of both stacks, which takes longer than all else. should_stop is
 * polled; may be NULL. NULL and an error. */
RegardLayers *regard_layers_new(mt_model *model, mt_trace *trace, const mt_changes *changes,
                                gboolean with_lens, bool (*should_stop)(void *user), void *user,
                                mt_error *error);
RegardLayers *regard_layers_ref(RegardLayers *layers);
void regard_layers_unref(RegardLayers *layers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardLayers, regard_layers_unref)

/* A piece of the stack's vocabulary as people read it; caller frees. */
char *regard_layers_piece(const RegardLayers *layers, mt_stack stack, int32_t piece);

G_END_DECLS
