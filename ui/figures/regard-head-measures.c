/* regard-head-measures.c — the numbers of a head on one sentence, and the names they earn it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-head-measures.h"

#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <math.h>

#define SELF     (1u << MT_ENCODER_SELF | 1u << MT_DECODER_SELF)
#define CROSS    (1u << MT_CROSS)
#define ALL      (SELF | CROSS)
#define AT(name) offsetof(mt_head_metrics, name)
#define IN(name) offsetof(RegardHeadRow, name)

/* From how much on a head is called so, by measurement on this sentence. Positional: the row's
 * largest cell is at the offset in at least 90 % of the rows (Voita et al. 2019). Sink: 60 % of the
 * weight on special tokens (Clark et al. 2019). Monotone, our own: the largest cell does not move
 * back in 75 % of the steps, and is clear. */
#define SINK       0.60
#define POSITIONAL 0.90
#define MONOTONE   0.75
#define CONFIDENT  0.40 /* mean of the rows' largest, of a monotone head */

/* THE list of measures, in the order of the table. */
static const RegardHeadMeasure measures[] = {
    {"entropy", N_("Entropy"), "bit",
     N_("Mean entropy of the rows in bits: 0 looks at one token, log₂ n at all n alike"), ALL,
     IN(metrics.mean_entropy), FALSE, 2, FALSE},
    {"confidence", N_("Confidence"), "",
     N_("Mean of the rows' largest weights, special tokens left out (Voita et al. 2019)"), ALL,
     IN(metrics.confidence), FALSE, 2, FALSE},
    {"special", N_("Special"), "",
     N_("Mean weight on special tokens, such as ⏎ (Clark et al. 2019)"), ALL,
     IN(metrics.special_share), FALSE, 2, FALSE},
    {"distance", N_("Distance"), "",
     N_("Mean distance between query and key, weighted: in tokens, in cross-attention as a share "
        "of the sentences (Vig and Belinkov 2019)"),
     ALL, IN(metrics.diagonal_distance), FALSE, 2, FALSE},
    {"previous", N_("Previous"), "", N_("Share of rows that look most at the token before"), SELF,
     IN(metrics.previous_share), FALSE, 2, FALSE},
    {"same", N_("Same"), "", N_("Share of rows that look most at their own token"), SELF,
     IN(metrics.same_share), FALSE, 2, FALSE},
    {"next", N_("Next"), "", N_("Share of rows that look most at the next token"), SELF,
     IN(metrics.next_share), FALSE, 2, FALSE},
    {"monotone", N_("Monotone"), "",
     N_("Share of steps in which the largest weight does not move back; that is about order alone, "
        "it does not say that a word looks at the word it translates"),
     CROSS, IN(metrics.monotone_share), FALSE, 2, FALSE},
    {"effect", N_("Effect"), "nat",
     N_("How much more likely the translation is with the head than without: log p − log p with "
        "the head changed; + speaks for this translation"),
     ALL, IN(effect), TRUE, 3, TRUE},
    {"contrast", N_("Contrast"), "",
     N_("What the head adds to the logit of a token, less that of the candidate it is set against"),
     ALL, IN(contrast), TRUE, 3, TRUE},
    {"moved", N_("Moved"), "bit",
     N_("How far the head is from the reference: Jensen–Shannon divergence of its rows, mean over "
        "them, from 0 to 1 (Lin 1991)"),
     ALL, IN(moved), TRUE, 3, FALSE},
};

/* THE list of roles. */
static const RegardHeadRole roles[] = {
    {"sink", N_("sink"), N_("Share of the attention that goes to special tokens"), ALL, SINK,
     AT(special_share)},
    {"previous", N_("previous"), N_("Share of rows that look most at the token before"), SELF,
     POSITIONAL, AT(previous_share)},
    {"same", N_("same"), N_("Share of rows that look most at their own token"), SELF, POSITIONAL,
     AT(same_share)},
    {"next", N_("next"), N_("Share of rows that look most at the next token"), SELF, POSITIONAL,
     AT(next_share)},
    {"monotone", N_("monotone"),
     N_("Share of steps in which the largest weight does not move back, with mean confidence of at "
        "least 0.40. That is about order alone: it does not say that a word looks at the word it "
        "translates"),
     CROSS, MONOTONE, AT(monotone_share)},
};

static double
number_at(gconstpointer numbers, gsize offset)
{
  return *(const double *) (const void *) ((const char *) numbers + offset);
}

const RegardHeadMeasure *
regard_head_measures(guint *n)
{
  *n = G_N_ELEMENTS(measures);
  return measures;
}

const RegardHeadMeasure *
regard_head_measure_find(const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS(measures); i++)
    if (g_ascii_strcasecmp(measures[i].id, id) == 0)
      return &measures[i];
  return NULL;
}

double
regard_head_measure_get(const RegardHeadMeasure *measure, const RegardHeadRow *row)
{
  return measure->kinds & 1u << row->kind ? number_at(row, measure->offset) : NAN;
}

char *
regard_head_measure_format(const RegardHeadMeasure *measure, double value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  if (isnan(value))
    return g_strdup("");
  g_snprintf(format, sizeof format, "%%.%uf", measure->n_decimals);
  g_ascii_formatd(number, sizeof number, format, fabs(value));
  const gboolean is_zero = strspn(number, "0.") == strlen(number);
  return g_strconcat(is_zero ? "" : value < 0 ? "−" : measure->has_sign ? "+" : "", number, NULL);
}

gboolean
regard_head_measure_is_there(const RegardHeadMeasure *measure, const RegardHeadRow *const *rows,
                             guint n)
{
  for (guint i = 0; measure->is_asked && i < n; i++)
    if (!isnan(regard_head_measure_get(measure, rows[i])))
      return TRUE;
  return !measure->is_asked;
}

const RegardHeadRole *
regard_head_roles(guint *n)
{
  *n = G_N_ELEMENTS(roles);
  return roles;
}

gboolean
regard_head_role_holds(const RegardHeadRole *role, mt_attention_kind kind,
                       const mt_head_metrics *metrics, double *score)
{
  if (!(role->kinds & 1u << kind))
    return FALSE;
  double value = number_at(metrics, role->offset);
  if (score)
    *score = value;
  /* A head that is sure of nothing goes forward by chance. */
  if (role->offset == AT(monotone_share) && metrics->confidence < CONFIDENT)
    return FALSE;
  return value >= role->threshold;
}

/* ---- All heads of a capture -------------------------------------------------------------------
 */

RegardHeadRow *
regard_head_rows_new(const mt_capture *capture, const mt_capture *a, const mt_capture *b, guint *n)
{
  const mt_attention_kind *order = regard_kinds_in_order;
  const mt_capture *after = mt_capture_difference_b(capture);
  const mt_capture *measured = after ? after : capture;
  g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(RegardHeadRow));
  for (guint k = 0; k < MT_N_KINDS; k++)
    for (guint l = 0; l < mt_capture_n_layers(measured, order[k]); l++)
      for (guint h = 0; h < mt_capture_n_heads(measured, order[k]); h++) {
        const RegardHeadRow row = {
            .kind = order[k],
            .layer = l,
            .head = h,
            .first_layer = (guint) mt_capture_first_layer(measured, order[k]),
            .first_head = (guint) mt_capture_first_head(measured, order[k]),
            .metrics = mt_head_metrics_compute(measured, order[k], l, h),
            .effect = NAN,
            .contrast = NAN,
            .moved = a && b && l < mt_capture_n_layers(a, order[k])
                         ? mt_capture_divergence(a, b, order[k], l, h)
                         : NAN,
        };
        g_array_append_val(rows, row);
      }
  *n = rows->len;
  return (RegardHeadRow *) (void *) g_array_free(g_steal_pointer(&rows), FALSE);
}

void
regard_head_row_set_effects(RegardHeadRow *row, const RegardEffects *effects)
{
  const RegardEffectsKind *k = effects ? &effects->kinds[row->kind] : NULL;
  const gboolean has = k && row->layer < k->n_layers && row->head < k->n_heads;
  const gsize i = has ? (gsize) row->layer * k->n_heads + row->head : 0;
  row->effect = has ? k->effects[i] : NAN;
  row->with = has ? mt_effect_kind_name(effects->with) : NULL;
  row->contrast = has && k->contrast ? k->contrast[i] : NAN;
}

char *
regard_head_row_name(const RegardHeadRow *row)
{
  return regard_naming_head(row->kind, row->first_layer + row->layer, row->first_head + row->head);
}

char *
regard_head_row_roles(const RegardHeadRow *row)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(roles); i++)
    if (regard_head_role_holds(&roles[i], row->kind, &row->metrics, NULL))
      g_string_append_printf(text, "%s%s", text->len ? ", " : "", _(roles[i].name));
  return g_string_free(text, FALSE);
}

/* ---- Words of a filter -------------------------------------------------------------------------
 */

static gconstpointer
find_measure(const char *id)
{
  return regard_head_measure_find(id);
}

static gconstpointer
find_role(const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS(roles); i++)
    if (g_ascii_strcasecmp(roles[i].id, id) == 0)
      return &roles[i];
  return NULL;
}

static double
get_number(gconstpointer measure, gconstpointer row)
{
  return regard_head_measure_get(measure, row);
}

static gboolean
has_role(gconstpointer role, gconstpointer data)
{
  const RegardHeadRow *row = data;
  return regard_head_role_holds(role, row->kind, &row->metrics, NULL);
}

static void
get_place(gconstpointer data, mt_attention_kind *kind, guint *layer, guint *head)
{
  const RegardHeadRow *row = data;
  *kind = row->kind;
  *layer = row->first_layer + row->layer;
  *head = row->first_head + row->head;
}

const RegardHeadWords *
regard_head_row_words(void)
{
  static const RegardHeadWords words = {find_measure, find_role, get_number, has_role, get_place};
  return &words;
}
