/* regard-attention-private.h — axes and origin of a matrix of attention. Private to matrices that
 * are made from a capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "figures/regard-matrix-attention.h"

G_BEGIN_DECLS

/* ---- Axes ------------------------------------------------------------------------------------ */

/* Consecutive tokens that make one row or column. */
typedef struct {
  guint first, n;
  gboolean special;
} RegardTokenGroup;

/* The rows or the columns of a kind. */
typedef struct {
  const mt_capture *capture;
  const RegardMatrixSpec *spec;
  const mt_tokens *tokens;
  RegardTokenGroup *groups; /* [n] whoever made the axis frees them */
  guint n;
  RegardLabel *labels; /* made already: those of another head; else NULL */
  gboolean starts;     /* the first token is what the decoder begins with */
  gboolean has_other;  /* a row is one token in and one token out */
} RegardAttentionAxis;

/* Groups of an axis; special ones are left out where that is asked for. */
void regard_attention_axis_group(RegardAttentionAxis *axis);
/* The same from the labels [n] of another head. */
void regard_attention_axis_copy(RegardAttentionAxis *axis, RegardLabel *labels, guint n);
/* As the source of a matrix wants it; the axis must live as long. */
RegardAxis regard_attention_axis_named(const RegardAttentionAxis *axis, const char *title);

/* ---- Origin ---------------------------------------------------------------------------------- */

/* What captions and files say of a capture, whatever of it is shown: both sentences, each with a
 * space before it; model or file (name), precision, search, changes. */
void regard_attention_append_sentences(const mt_capture *capture, GString *text);
void regard_attention_append_model(const mt_capture *capture, const char *name, GString *text);
void regard_attention_tell_model(const mt_capture *capture, RegardFacts *facts);
void regard_attention_tell_sentences(const mt_capture *capture, RegardFacts *facts);

/* Whose origin is a RegardAttention. */
extern const RegardOriginClass regard_attention_origin;

G_END_DECLS
