/* regard-intervention-edit.c — lists of changes as they are edited by hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a row names is a box: spans of layers, heads, queries and keys. Taking some of it away
 * leaves up to two boxes for each of these.
 */
#include "figures/regard-intervention-edit.h"

#include "figures/regard-language.h"
#include "figures/regard-naming.h"

#include <string.h>

#define N_AXES 4
typedef struct {
  mt_intervention_span axes[N_AXES]; /* layers, heads, queries, keys */
} Box;

static const RegardHeadIntervention head_changes[] = {
    {"zero", "", N_("_Off (Zero)")},
    {"uniform", "", N_("_Uniform")},
    {"mean", "", N_("_Mean over a Text")},
    {"diagonal", "", N_("_Same Token Only")},
    {"previous", "", N_("_Previous Token Only")},
    {"next", "", N_("_Next Token Only")},
    {"scale", "0.5", N_("_Half as Loud")},
    {"scale", "2", N_("_Twice as Loud")},
    {"temperature", "0.5", N_("Sha_rper (Temperature 0.5)")},
    {"temperature", "2", N_("_Blunter (Temperature 2)")},
};

const RegardHeadIntervention *
regard_head_interventions(guint *n)
{
  *n = G_N_ELEMENTS(head_changes);
  return head_changes;
}

/* ---- Families ----------------------------------------------------------------------------------
 */

static gboolean
is_all(mt_intervention_span span)
{
  return span.last == SIZE_MAX;
}

static gboolean
is_in(mt_intervention_span span, gsize i)
{
  return i >= span.first && i <= span.last;
}

static int
kind_of(const char *where)
{
  for (int k = 0; k < MT_N_KINDS; k++)
    if (g_str_equal(where, regard_kind_id((mt_attention_kind) k)))
      return k;
  return -1;
}

void
regard_intervention_extent(RegardInterventionExtent *extent, const mt_config *config)
{
  for (int k = 0; k < MT_N_KINDS; k++) {
    const mt_stack stack = regard_naming_rows(k);
    extent->layers[k] = config->n_layers[stack];
    extent->heads[k] = config->n_heads[stack];
  }
}

/* ---- Boxes -------------------------------------------------------------------------------------
 */

static Box
box_of(const mt_intervention_row *row)
{
  return (Box){{row->layers, row->heads, row->queries, row->keys}};
}

static gboolean
do_meet(const Box *a, const Box *b)
{
  for (guint i = 0; i < N_AXES; i++)
    if (a->axes[i].first > b->axes[i].last || b->axes[i].first > a->axes[i].last)
      return FALSE;
  return TRUE;
}

/* What b leaves of a, appended to out. */
static void
subtract(Box a, const Box *b, GArray *out)
{
  if (!do_meet(&a, b)) {
    g_array_append_val(out, a);
    return;
  }
  for (guint i = 0; i < N_AXES; i++) {
    Box rest = a;
    if (a.axes[i].first < b->axes[i].first) {
      rest.axes[i].last = b->axes[i].first - 1;
      g_array_append_val(out, rest);
      a.axes[i].first = b->axes[i].first;
    }
    rest = a;
    if (a.axes[i].last > b->axes[i].last) {
      rest.axes[i].first = b->axes[i].last + 1;
      g_array_append_val(out, rest);
      a.axes[i].last = b->axes[i].last;
    }
  }
}

/* All layers and heads as those that there are; and a span of all of them as all. Tokens have no
 * such end. */
static void
bound(Box *box, gsize layers, gsize heads)
{
  const gsize n[] = {layers, heads};
  for (guint i = 0; i < G_N_ELEMENTS(n); i++)
    if (is_all(box->axes[i]) && n[i] > 0)
      box->axes[i].last = n[i] - 1;
}

static void
unbound(Box *box, gsize layers, gsize heads)
{
  const gsize n[] = {layers, heads};
  for (guint i = 0; i < G_N_ELEMENTS(n); i++)
    if (n[i] > 0 && box->axes[i].first == 0 && box->axes[i].last == n[i] - 1)
      box->axes[i].last = SIZE_MAX;
}

/* ---- Text --------------------------------------------------------------------------------------
 */

static void
append_span(GString *text, mt_intervention_span span)
{
  if (is_all(span))
    g_string_append_c(text, '*');
  else if (span.first == span.last)
    g_string_append_printf(text, "%zu", span.first + 1);
  else
    g_string_append_printf(text, "%zu-%zu", span.first + 1, span.last + 1);
}

/* "cross 4.1 query 3 key 5 set 0.9", and a line end. */
static void
append_row(GString *text, const mt_intervention_row *row, const Box *box)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(text, row->where);
  g_string_append_c(text, ' ');
  if (kind_of(row->where) >= 0) {
    append_span(text, box->axes[0]);
    g_string_append_c(text, '.');
    append_span(text, box->axes[1]);
    for (guint i = 2; i < N_AXES; i++)
      if (!is_all(box->axes[i])) {
        g_string_append(text, i == 2 ? " query " : " key ");
        append_span(text, box->axes[i]);
      }
  } else
    append_span(text, box->axes[3]);
  g_string_append_printf(text, " %s", row->how);
  for (gsize i = 0; i < row->n_numbers; i++) {
    const gboolean is_whole = row->numbers[i] == (double) (gint64) row->numbers[i];
    g_string_append_printf(text, " %s",
                           g_ascii_formatd(number, sizeof number, is_whole ? "%.0f" : "%.5f",
                                           row->numbers[i]));
  }
  g_string_append_c(text, '\n');
}

/* ---- Editing -----------------------------------------------------------------------------------
 */

typedef struct {
  mt_intervention_row row; /* of the line */
  mt_intervention_family family;
  Box box;
  gsize layers, heads; /* that there are; 0: it has none */
} Wanted;

/* A window is one for all layers and heads of its kind, whatever a line says. */
static gboolean
replaces(const Wanted *wanted, const mt_intervention_row *row, Box *box)
{
  if (row->family != wanted->family || !g_str_equal(row->where, wanted->row.where) ||
      wanted->family == MT_INTERVENTIONS_OTHER)
    return FALSE;
  *box = box_of(row);
  bound(box, wanted->layers, wanted->heads);
  return do_meet(box, &wanted->box);
}

static void
append_rest(const Wanted *wanted, const mt_intervention_row *row, const Box *box, GString *text)
{
  g_autoptr(GArray) rest = g_array_new(FALSE, FALSE, sizeof(Box));
  Box taken = wanted->box;
  /* All queries have no end at which to cut: who takes one cell back takes all of such a row. */
  for (guint i = 2; i < N_AXES; i++)
    if (is_all(box->axes[i]))
      taken.axes[i] = box->axes[i];
  subtract(*box, &taken, rest);
  for (guint k = 0; k < rest->len; k++) {
    Box *piece = &g_array_index(rest, Box, k);
    unbound(piece, wanted->layers, wanted->heads);
    append_row(text, row, piece);
  }
}

/* Whether rows of its family name all that the line names. */
static gboolean
is_covered(const Wanted *wanted, const mt_interventions *interventions)
{
  g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(Box));
  mt_intervention_row row;
  g_array_append_val(open, wanted->box);
  for (gsize i = 0; mt_interventions_row(interventions, i, &row); i++) {
    Box box;
    if (!replaces(wanted, &row, &box))
      continue;
    GArray *left = g_array_new(FALSE, FALSE, sizeof(Box));
    for (guint k = 0; k < open->len; k++)
      subtract(g_array_index(open, Box, k), &box, left);
    g_array_unref(open);
    open = left;
  }
  return open->len == 0;
}

char *
regard_interventions_edit(const mt_interventions *interventions, const char *line,
                          RegardInterventionEdit edit, const RegardInterventionExtent *extent,
                          mt_error *error)
{
  g_autoptr(GString) text = g_string_new(NULL);
  mt_interventions *one = mt_interventions_parse("change", line, error);
  g_auto(GStrv) lines = g_strsplit(mt_interventions_text(interventions), "\n", -1);
  Wanted wanted = {0};
  mt_intervention_row row;
  if (!one)
    return NULL;
  const gboolean is_one =
      mt_interventions_count(one) == 1 && mt_interventions_row(one, 0, &wanted.row);
  g_autofree char *canonical = g_strdup(mt_interventions_text(one));
  mt_interventions_unref(one); /* the words of its row are the engine's */
  if (!is_one) {
    error->code = MT_ERROR_INPUT;
    g_strlcpy(error->message, _("Expected one change."), sizeof error->message);
    return NULL;
  }
  const int kind = kind_of(wanted.row.where);
  wanted.family = wanted.row.family;
  wanted.layers = kind >= 0 ? extent->layers[kind] : 0;
  wanted.heads = kind >= 0 ? extent->heads[kind] : 0;
  wanted.box = box_of(&wanted.row);
  bound(&wanted.box, wanted.layers, wanted.heads);
  const gboolean is_other = wanted.family == MT_INTERVENTIONS_OTHER;
  const gboolean stands = is_other ? g_strv_contains((const char *const *) lines, canonical)
                                   : is_covered(&wanted, interventions);
  const gboolean is_made =
      edit == REGARD_INTERVENTION_MAKE || (edit == REGARD_INTERVENTION_TOGGLE && !stands);
  for (gsize i = 0; mt_interventions_row(interventions, i, &row); i++) {
    Box box;
    if (is_other ? g_str_equal(lines[i], canonical) : replaces(&wanted, &row, &box)) {
      if (!is_other)
        append_rest(&wanted, &row, &box, text);
    } else
      g_string_append_printf(text, "%s\n", lines[i]);
  }
  if (is_made)
    g_string_append(text, canonical);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* ---- Questions ---------------------------------------------------------------------------------
 */

static gboolean
names_head(const mt_intervention_row *row, mt_attention_kind kind, guint layer, guint head)
{
  return g_str_equal(row->where, regard_kind_id(kind)) && !row->part && is_in(row->layers, layer) &&
         is_in(row->heads, head);
}

gboolean
regard_interventions_of_head(const mt_interventions *interventions, mt_attention_kind kind,
                             guint layer, guint head, mt_intervention_row *row)
{
  for (gsize i = mt_interventions_count(interventions); i-- > 0;)
    if (mt_interventions_row(interventions, i, row) && row->family == MT_INTERVENTIONS_HEADS &&
        names_head(row, kind, layer, head))
      return TRUE;
  return FALSE;
}

gboolean
regard_interventions_of_source(const mt_interventions *interventions, guint token,
                               mt_intervention_row *row)
{
  for (gsize i = mt_interventions_count(interventions); i-- > 0;)
    if (mt_interventions_row(interventions, i, row) && row->family == MT_INTERVENTIONS_SOURCE &&
        is_in(row->keys, token))
      return TRUE;
  return FALSE;
}

gboolean
regard_interventions_of_cell(const mt_interventions *interventions, mt_attention_kind kind,
                             guint layer, guint head, guint query, guint key,
                             mt_intervention_row *row)
{
  for (gsize i = mt_interventions_count(interventions); i-- > 0;)
    if (mt_interventions_row(interventions, i, row) && row->family == MT_INTERVENTIONS_CELLS &&
        names_head(row, kind, layer, head) && is_in(row->queries, query) && is_in(row->keys, key))
      return TRUE;
  return FALSE;
}

gboolean
regard_interventions_has_cells(const mt_interventions *interventions, mt_attention_kind kind,
                               guint layer, guint head)
{
  mt_intervention_row row;
  for (gsize i = 0; mt_interventions_row(interventions, i, &row); i++)
    if (row.family == MT_INTERVENTIONS_CELLS && names_head(&row, kind, layer, head))
      return TRUE;
  return FALSE;
}

guint
regard_interventions_window(const mt_interventions *interventions, mt_attention_kind kind)
{
  mt_intervention_row row;
  guint width = 0;
  for (gsize i = 0; mt_interventions_row(interventions, i, &row); i++)
    if (row.family == MT_INTERVENTIONS_WINDOW && is_all(row.layers) && is_all(row.heads) &&
        g_str_equal(row.where, regard_kind_id(kind))) {
      const guint n = (guint) MIN(row.numbers[0], (double) G_MAXUINT);
      width = width ? MIN(width, n) : n;
    }
  return width;
}

char *
regard_change_describe(const mt_intervention_row *row)
{
  const gboolean is_head = row->family == MT_INTERVENTIONS_HEADS;
  if (is_head && g_str_equal(row->how, "zero"))
    return g_strdup(_("off"));
  if (g_str_equal(row->how, "hide"))
    return g_strdup(_("hidden"));
  if (row->n_numbers == 0)
    return g_strdup(row->how);
  return g_strdup_printf("%s %g", row->how, row->numbers[0]);
}

/* ---- Which position encoding each token of a stack gets --------------------------------- */

/* However a list says it, it is written in one way: each token is named by one line, but for the
 * layout, whose lines are the last (later changes are made first, before tokens are swapped). */

static const char *const places[MT_N_STACKS] = {
    [MT_STACK_ENCODER] = "source position", [MT_STACK_DECODER] = "target position"};

RegardPositionPlan *
regard_position_plan_new(const mt_interventions *interventions, mt_stack stack, guint n)
{
  RegardPositionPlan *plan = g_new(RegardPositionPlan, 1);
  *plan = (RegardPositionPlan){stack, n, g_new(mt_position_change, MAX(n, 1))};
  for (guint i = 0; i < n; i++)
    plan->tokens[i] = mt_interventions_position_of(interventions, stack, i);
  return plan;
}

void
regard_position_plan_free(RegardPositionPlan *plan)
{
  g_free(plan->tokens);
  g_free(plan);
}

/* ---- Looking -----------------------------------------------------------------------------------
 */

gboolean
regard_position_plan_is_own(const RegardPositionPlan *plan, guint token)
{
  const mt_position_change *p = &plan->tokens[token];
  return !p->is_zero && !p->interleaves && p->position == (glong) token;
}

gboolean
regard_position_plan_is_off(const RegardPositionPlan *plan, guint n)
{
  for (guint i = 0; i < MIN(n, plan->n); i++)
    if (!plan->tokens[i].is_zero)
      return FALSE;
  return n > 0;
}

gboolean
regard_position_plan_interleaves(const RegardPositionPlan *plan)
{
  for (guint i = 0; i < plan->n; i++)
    if (!plan->tokens[i].interleaves)
      return FALSE;
  return plan->n > 0;
}

/* ---- Editing -----------------------------------------------------------------------------------
 */

void
regard_position_plan_set_off(RegardPositionPlan *plan, guint token, gboolean off)
{
  if (token >= plan->n)
    return;
  plan->tokens[token].is_zero = off;
  if (!off)
    plan->tokens[token].position = token;
}

void
regard_position_plan_set_all_off(RegardPositionPlan *plan, gboolean off)
{
  for (guint i = 0; i < plan->n; i++)
    regard_position_plan_set_off(plan, i, off);
}

void
regard_position_plan_set(RegardPositionPlan *plan, guint token, glong position)
{
  if (token >= plan->n)
    return;
  plan->tokens[token].is_zero = FALSE;
  plan->tokens[token].position = position;
}

void
regard_position_plan_shift_all(RegardPositionPlan *plan, glong by)
{
  for (guint i = 0; i < plan->n; i++)
    plan->tokens[i].position += by;
}

void
regard_position_plan_swap(RegardPositionPlan *plan, guint a, guint b)
{
  if (a >= plan->n || b >= plan->n)
    return;
  const mt_position_change first = plan->tokens[a];
  plan->tokens[a] = plan->tokens[b];
  plan->tokens[b] = first;
}

void
regard_position_plan_interleave(RegardPositionPlan *plan, gboolean interleaves)
{
  for (guint i = 0; i < plan->n; i++)
    plan->tokens[i].interleaves = interleaves;
}

void
regard_position_plan_reset(RegardPositionPlan *plan)
{
  for (guint i = 0; i < plan->n; i++)
    plan->tokens[i] = (mt_position_change){.position = i};
}

/* ---- Writing -----------------------------------------------------------------------------------
 */

typedef struct {
  const RegardPositionPlan *plan;
  GString *text;
  gboolean is_of_all;
} Writing;

static glong
shift_of(const RegardPositionPlan *plan, guint i)
{
  return plan->tokens[i].position - (glong) i;
}

/* Each of two has the other's. */
static gboolean
is_swapped(const RegardPositionPlan *plan, guint i, guint *other)
{
  const glong p = plan->tokens[i].position;
  if (plan->tokens[i].is_zero || p == (glong) i || p < 0 || p >= (glong) plan->n ||
      plan->tokens[p].is_zero || plan->tokens[p].position != (glong) i)
    return FALSE;
  *other = (guint) p;
  return TRUE;
}

typedef gboolean (*IsAlike)(const RegardPositionPlan *plan, guint first, guint i);

static gboolean
are_off(const RegardPositionPlan *plan, guint first, guint i)
{
  return plan->tokens[i].is_zero;
}

static gboolean
are_shifted(const RegardPositionPlan *plan, guint first, guint i)
{
  guint other;
  return !plan->tokens[i].is_zero && shift_of(plan, i) != 0 && !is_swapped(plan, i, &other) &&
         shift_of(plan, i) == shift_of(plan, first);
}

static gboolean
are_interleaved(const RegardPositionPlan *plan, guint first, guint i)
{
  return plan->tokens[i].interleaves;
}

/* "source position 3-5 "; all of them are not named, if that means no others. */
static void
begin_line(const Writing *w, guint first, guint end, gboolean may_be_all)
{
  g_string_append_printf(w->text, "%s ", places[w->plan->stack]);
  if (first == 0 && end == w->plan->n && may_be_all)
    return;
  if (end == first + 1)
    g_string_append_printf(w->text, "%u ", first + 1);
  else
    g_string_append_printf(w->text, "%u-%u ", first + 1, end);
}

/* The run of tokens from i on of which the same is true; its end. */
static guint
run_end(const RegardPositionPlan *plan, guint i, IsAlike is_alike)
{
  guint end = i;
  while (end < plan->n && is_alike(plan, i, end))
    end++;
  return end;
}

static void
write_shift(const Writing *w, guint first, guint end)
{
  const glong position = w->plan->tokens[first].position;
  begin_line(w, first, end, w->is_of_all);
  if (end == first + 1 && position >= 0)
    g_string_append_printf(w->text, "as %ld\n", position + 1);
  else
    g_string_append_printf(w->text, "shift %ld\n", shift_of(w->plan, first));
}

static void
write_plan(const Writing *w)
{
  const RegardPositionPlan *plan = w->plan;
  for (guint i = 0, end, other; i < plan->n; i = MAX(end, i + 1)) {
    end = run_end(plan, i, are_off);
    if (end > i) {
      begin_line(w, i, end, TRUE);
      g_string_append(w->text, "zero\n");
    } else if (is_swapped(plan, i, &other)) {
      if (other > i)
        g_string_append_printf(w->text, "%s %u swap %u\n", places[plan->stack], i + 1, other + 1);
    } else if ((end = run_end(plan, i, are_shifted)) > i)
      write_shift(w, i, end);
  }
  for (guint i = 0, end; i < plan->n; i = MAX(end, i + 1))
    if ((end = run_end(plan, i, are_interleaved)) > i) {
      begin_line(w, i, end, TRUE);
      g_string_append(w->text, "interleave\n");
    }
}

mt_interventions *
regard_position_plan_apply(const RegardPositionPlan *plan, const mt_interventions *interventions,
                           gboolean is_of_all, mt_error *error)
{
  g_auto(GStrv) lines = g_strsplit(mt_interventions_text(interventions), "\n", -1);
  g_autoptr(GString) text = g_string_new(NULL);
  for (char **line = lines; *line; line++)
    if (!g_str_has_prefix(*line, places[plan->stack]))
      g_string_append_printf(text, "%s\n", *line);
  write_plan(&(Writing){plan, text, is_of_all});
  mt_interventions *parsed = mt_interventions_parse("positions", text->str, error);
  /* The text of a list does not hold its means. */
  const mt_means *means = mt_interventions_means(interventions);
  if (!parsed || !means)
    return parsed;
  mt_interventions *whole = mt_interventions_with_means(parsed, (mt_means *) means, error);
  mt_interventions_unref(parsed);
  return whole;
}
