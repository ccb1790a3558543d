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

/* THE list of controls, and what each is in a sentence. The widget has this name
 * (gtk_widget_set_name), by which help knows it, too; the first that is seen is meant. */
/* clang-format off */
#define CONTROLS(C) \
  C("model", N_("the list of models")) \
  C("export", N_("the button Export")) \
  C("copy", N_("the button Copy")) \
  C("panes", N_("the button Panes")) \
  C("learn", N_("the button Learn")) \
  C("main-menu", N_("the main menu")) \
  C("search", N_("how the translation is searched for")) \
  C("alternatives", N_("the other translations")) \
  C("own-translation", N_("the button for a translation of one’s own")) \
  C("show", N_("what is shown: weights, or attributions")) \
  C("form-switch", N_("the switch between matrix and lines")) \
  C("combine", N_("one head, or several together")) \
  C("effects", N_("how much is missed without each head")) \
  C("weights", N_("the button to set weights by hand")) \
  C("scale", N_("the scale of the colours")) \
  C("colours", N_("the colours")) \
  C("pieces-or-words", N_("pieces, or words")) \
  C("label-rows", N_("what rows are called by")) \
  C("hide-special", N_("the button to hide the end of the sentence")) \
  C("numbers", N_("the numbers of what is pointed at")) \
  C("query", N_("the query")) \
  C("rows", N_("the switch between one row and all rows")) \
  C("inside-step", N_("the steps of equation 1")) \
  C("root", N_("the slider of the card Why √d_k")) \
  C("shown", N_("what is shown of the layers")) \
  C("stack", N_("the switch between encoder and decoder")) \
  C("lens-colours", N_("what colours say")) \
  C("threshold", N_("the least share that has a line")) \
  C("neighbours", N_("the field for a piece")) \
  C("step", N_("the slider of the steps")) \
  C("steps-switch", N_("the switch between tree, rows and heads")) \
  C("candidates", N_("what there was to choose from")) \
  C("curve", N_("how sure the model was of each step")) \
  C("another-word", N_("the field for another word")) \
  C("compare", N_("the button Compare")) \
  C("beams", N_("the beams of the other search")) \
  C("penalty", N_("the length penalty of the other search")) \
  C("training-beside", N_("the button for training beside it")) \
  C("positions-switch", N_("the switch between table and bench")) \
  C("positions-of", N_("the choice of source or translation")) \
  C("n-positions", N_("how many positions are shown")) \
  C("pair", N_("the pair of dimensions")) \
  C("shift", N_("by how much positions are shifted")) \
  C("all-off", N_("the button All Off")) \
  C("interleaved", N_("the button Interleaved")) \
  C("swap", N_("the button Swap")) \
  C("reset-positions", N_("the button Reset of the bench")) \
  C("chips", N_("the tokens of the bench")) \
  C("order", N_("the card that says whether order counts")) \
  C("head-filter", N_("the field that filters heads")) \
  C("measure-panes", N_("the switch of what is measured")) \
  C("changes", N_("the list of changes")) \
  C("reset", N_("the button Reset")) \
  C("compare-with-this", N_("the button Compare with This")) \
  C("compare-sides", N_("the switch between now, A, B and their difference")) \
  C("checkpoint", N_("the slider of the training")) \
  C("play-training", N_("the button that plays the training")) \
  C("keep-translation", N_("the button Keep Translation"))
/* clang-format on */

#define ID(id, said)   id,
#define SAID(id, said) said,

const char *const regard_target_controls[] = {CONTROLS(ID) NULL};

static const char *const control_sayings[] = {CONTROLS(SAID)};

const char *
regard_target_say_control(const char *id)
{
  guint i = 0;
  while (strcmp(regard_target_controls[i], id) != 0)
    i++;
  return _(control_sayings[i]);
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
