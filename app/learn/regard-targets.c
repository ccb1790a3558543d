/* regard-targets.c — names of what a lesson may show and point at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-targets.h"

#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <string.h>

/* THE list of targets. */
const RegardTargetName regard_targets[] = {
    {"source", REGARD_PLACE_NONE},
    {"translation", REGARD_PLACE_NONE},
    {"source-pieces", REGARD_PLACE_NONE},
    {"translation-pieces", REGARD_PLACE_NONE},
    {"matrix", REGARD_PLACE_NONE},
    {"changes", REGARD_PLACE_NONE},
    {"received", REGARD_PLACE_NONE},
    {"heads", REGARD_PLACE_KIND},
    {"head", REGARD_PLACE_HEAD},
    {"row", REGARD_PLACE_LINE},
    {"column", REGARD_PLACE_LINE},
    {"cell", REGARD_PLACE_CELL},
    {"page", REGARD_PLACE_PAGE},
    {"control", REGARD_PLACE_CONTROL},
    {NULL, REGARD_PLACE_NONE},
};

/* THE list of pages, and of what can be chosen on them. The first words are ids of pages. */
const char *const regard_target_pages[] = {
    "attention",
    "inside",
    "inside/similarity",
    "inside/root",
    "inside/weight",
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
    "steps/heads",
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

/* THE list of controls, whether a simple window has them, too, and what each is in a sentence. The
 * widget has this name (gtk_widget_set_name), by which help knows it, too; the first that is seen
 * is meant. */
/* clang-format off */
#define CONTROLS(C) \
  C("model", FULL, N_("the list of models")) \
  C("export", SIMPLE, N_("the button Export")) \
  C("copy", FULL, N_("the button Copy")) \
  C("panes", FULL, N_("the button Panes")) \
  C("learn", SIMPLE, N_("the button Learn")) \
  C("main-menu", SIMPLE, N_("the main menu")) \
  C("search", FULL, N_("how the translation is searched for")) \
  C("alternatives", FULL, N_("the other translations")) \
  C("own-translation", FULL, N_("the button for a translation of one’s own")) \
  C("show", FULL, N_("what is shown: weights, or attributions")) \
  C("form-switch", SIMPLE, N_("the switch between matrix and lines")) \
  C("combine", FULL, N_("one head, or several together")) \
  C("effects", FULL, N_("how much is missed without each head")) \
  C("weights", FULL, N_("the button to set weights by hand")) \
  C("scale", FULL, N_("the scale of the colours")) \
  C("colours", FULL, N_("the colours")) \
  C("pieces-or-words", FULL, N_("pieces, or words")) \
  C("label-rows", FULL, N_("what rows are called by")) \
  C("hide-special", FULL, N_("the button to hide the end of the sentence")) \
  C("numbers", FULL, N_("the numbers of what is pointed at")) \
  C("query", SIMPLE, N_("the query")) \
  C("rows", SIMPLE, N_("the switch between one row and all rows")) \
  C("inside-step", SIMPLE, N_("the steps of equation 1")) \
  C("root", SIMPLE, N_("the slider of the card Why √d_k")) \
  C("shown", SIMPLE, N_("what is shown of the layers")) \
  C("stack", SIMPLE, N_("the switch between encoder and decoder")) \
  C("lens-colours", SIMPLE, N_("what colours say")) \
  C("threshold", SIMPLE, N_("the least share that has a line")) \
  C("neighbours", SIMPLE, N_("the field for a piece")) \
  C("step", SIMPLE, N_("the slider of the steps")) \
  C("steps-switch", SIMPLE, N_("the switch between tree, rows and heads")) \
  C("candidates", SIMPLE, N_("what there was to choose from")) \
  C("curve", SIMPLE, N_("how sure the model was of each step")) \
  C("another-word", SIMPLE, N_("the field for another word")) \
  C("compare", SIMPLE, N_("the button Compare")) \
  C("beams", SIMPLE, N_("the beams of the other search")) \
  C("penalty", SIMPLE, N_("the length penalty of the other search")) \
  C("training-beside", SIMPLE, N_("the button for training beside it")) \
  C("positions-switch", SIMPLE, N_("the switch between table and bench")) \
  C("positions-of", SIMPLE, N_("the choice of source or translation")) \
  C("n-positions", SIMPLE, N_("how many positions are shown")) \
  C("pair", SIMPLE, N_("the pair of dimensions")) \
  C("shift", SIMPLE, N_("by how much positions are shifted")) \
  C("all-off", SIMPLE, N_("the button All Off")) \
  C("interleaved", SIMPLE, N_("the button Interleaved")) \
  C("swap", SIMPLE, N_("the button Swap")) \
  C("reset-positions", SIMPLE, N_("the button Reset of the bench")) \
  C("chips", SIMPLE, N_("the tokens of the bench")) \
  C("order", SIMPLE, N_("the card that says whether order counts")) \
  C("head-filter", SIMPLE, N_("the field that filters heads")) \
  C("measure-panes", SIMPLE, N_("the switch of what is measured")) \
  C("changes", FULL, N_("the list of changes")) \
  C("reset", FULL, N_("the button Reset")) \
  C("compare-with-this", FULL, N_("the button Compare with This")) \
  C("compare-sides", FULL, N_("the switch between now, A, B and their difference")) \
  C("checkpoint", SIMPLE, N_("the slider of the training")) \
  C("play-training", SIMPLE, N_("the button that plays the training")) \
  C("keep-translation", SIMPLE, N_("the button Keep Translation"))
/* clang-format on */

#define SIMPLE                TRUE
#define FULL                  FALSE
#define ID(id, simple, said)  id,
#define ROW(id, simple, said) {simple, said},

const char *const regard_target_controls[] = {CONTROLS(ID) NULL};

static const struct {
  gboolean is_in_simple;
  const char *said;
} controls[] = {CONTROLS(ROW)};

static guint
find_control(const char *id)
{
  guint i = 0;
  while (strcmp(regard_target_controls[i], id) != 0)
    i++;
  return i;
}

const char *
regard_target_say_control(const char *id)
{
  return _(controls[find_control(id)].said);
}

gboolean
regard_target_is_in_simple(const char *id)
{
  return controls[find_control(id)].is_in_simple;
}

gboolean
regard_target_is_page(const char *shown, const char *wanted)
{
  const gsize n = strlen(wanted);
  return shown && g_str_has_prefix(shown, wanted) && (shown[n] == '\0' || shown[n] == '/');
}

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
