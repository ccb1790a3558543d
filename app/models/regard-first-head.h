/* regard-first-head.h — which head of a model is looked at first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* In a model's folder: what `regard-cli align --gold … --json` printed of its heads. */
#define REGARD_ALIGNMENT_FILE "alignment.json"

/* A head of cross-attention, from 0. */
typedef struct {
  guint layer, head;
} RegardFirstHead;

/* The one with the least alignment error among those that `path` ranks by their weights in the row
 * of the token that comes out, as pictures are labelled. FALSE: MT_ERROR_IO, there is no such file;
 * MT_ERROR_FORMAT, what is wrong with it; MT_ERROR_INPUT, it is of another model. */
gboolean regard_first_head_read(RegardFirstHead *first, const char *path, const mt_model *model,
                                mt_error *error);
/* Where there is no such file: the first head of the layer that is two thirds of the way up, 4 of
 * 6. */
RegardFirstHead regard_first_head_usual(const mt_model *model);

G_END_DECLS
