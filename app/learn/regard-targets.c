/* regard-targets.c — names of what a lesson may show and point at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-targets.h"

#include "figures/regard-naming.h"

#include <string.h>

/* THE list of targets. */
const RegardTargetName regard_targets[] = {
    {"source", REGARD_PLACE_NONE},     {"translation", REGARD_PLACE_NONE},
    {"matrix", REGARD_PLACE_NONE},     {"changes", REGARD_PLACE_NONE},
    {"heads", REGARD_PLACE_KIND},      {"head", REGARD_PLACE_HEAD},
    {"row", REGARD_PLACE_LINE},        {"column", REGARD_PLACE_LINE},
    {"cell", REGARD_PLACE_CELL},       {"page", REGARD_PLACE_PAGE},
    {"control", REGARD_PLACE_CONTROL}, {NULL, REGARD_PLACE_NONE},
};

/* THE list of pages, and of what can be chosen on them. The first words are ids of pages. */
const char *const regard_target_pages[] = {
    "attention",
    "inside",
    "inside/similarity",
    "inside/root",
    "layers",
    "layers/lens",
    "layers/norm",
    "layers/added",
    "layers/cosine",
    "layers/active",
    "layers/collapse",
    "layers/graph",
    "layers/embedding",
    "layers/complexity",
    "layers/decided",
    "steps",
    "steps/rows",
    "steps/tree",
    "positions",
    "positions/table",
    "positions/similarity",
    "positions/waves",
    "positions/shift",
    "positions/distance",
    "positions/bench",
    "heads",
    "measure",
    "measure/heads",
    "measure/alignment",
    "measure/attributions",
    "measure/quality",
    NULL,
};

/* THE list of controls. */
const char *const regard_target_controls[] = {
    "all-off",    /* of the bench: no encoding is added */
    "chips",      /* of the bench: the tokens, which are dragged */
    "model",      /* the choice of the model */
    "checkpoint", /* the slider of a training */
    "compare",    /* two searches beside each other, on the page Steps */
    "effects",    /* how much is missed without each head */
    NULL,
};

const RegardTargetName *
regard_target_find(const char *name)
{
  for (const RegardTargetName *target = regard_targets; target->name; target++)
    if (strcmp(target->name, name) == 0)
      return target;
  return NULL;
}

gboolean
regard_target_parse_kind(const char *word, mt_attention_kind *kind)
{
  for (guint i = 0; i < MT_N_KINDS; i++)
    if (strcmp(word, regard_kind_ids[i]) == 0) {
      *kind = (mt_attention_kind) i;
      return TRUE;
    }
  return FALSE;
}

/* From 1 in the text and 0 in *number, up to a `stop`. */
static gboolean
parse_number(const char **at, char stop, guint *number)
{
  guint value = 0, n = 0;
  for (; g_ascii_isdigit(**at) && n < 4; (*at)++, n++)
    value = value * 10 + (guint) (**at - '0');
  if (n == 0 || value == 0 || **at != stop)
    return FALSE;
  *number = value - 1;
  return TRUE;
}

gboolean
regard_target_parse_head(const char *kind_word, const char *number_word, mt_attention_kind *kind,
                         guint *layer, guint *head)
{
  if (!regard_target_parse_kind(kind_word, kind) || !parse_number(&number_word, '.', layer))
    return FALSE;
  number_word++;
  return parse_number(&number_word, '\0', head);
}
