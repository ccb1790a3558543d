/* regard-look.h — how something is looked at: the page, the picture's colours, the cell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a RegardState is not about: nothing of it changes a number.
 */
#pragma once

#include "figures/regard-colormap.h"
#include "figures/regard-lines.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-scale.h"
#include <glib.h>

G_BEGIN_DECLS

/* Which side of a comparison: RegardCompare of the document, by these names. */
extern const char *const regard_compare_ids[];

typedef struct {
  char *page; /* id of a view: "attention" */
  RegardScale scale;
  const RegardColormap *colormap;
  RegardCombine combine;
  RegardLabelBy label_by;
  RegardForm form;
  double lines_share; /* of a row, that strong lines hold */
  gboolean merge_words, hide_special;
  gboolean show_heads, show_details, show_tokens;
  double zoom;      /* of the large picture; 1: it fits */
  double top, left; /* cells of a zoomed one that lie above and to the left of what is seen */
  int row, col;     /* the kept cell; -1: none */
  int step;         /* token of the translation up to which it is looked at; -1: all of it */
  int compare;      /* RegardCompare */
  GArray *chosen;   /* of guint16 [2]: layer and head of those that are combined; NULL: none */
} RegardLook;

void regard_look_clear(RegardLook *look);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardLook, regard_look_clear)

/* Caller puts it. */
struct json_object;
struct json_object *regard_look_write(const RegardLook *look);
/* FALSE with an error that says what was expected and found where; then nothing is left to clear.
 */
gboolean regard_look_read(struct json_object *object, RegardLook *look, GError **error);

G_END_DECLS
