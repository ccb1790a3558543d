/* regard-position-plan.c — which position encoding each token of a stack gets.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * However a list says it, it is written in one way: each token is named by one line, but for the
 * layout, whose lines are the last (later changes are made first, before tokens are swapped).
 */
#include "figures/regard-position-plan.h"

#include <string.h>

static const char *const places[MT_N_STACKS] = {
    [MT_STACK_ENCODER] = "source position", [MT_STACK_DECODER] = "target position"};

RegardPositionPlan *
regard_position_plan_new(const mt_changes *changes, mt_stack stack, guint n)
{
  RegardPositionPlan *plan = g_new(RegardPositionPlan, 1);
  *plan = (RegardPositionPlan){stack, n, g_new(mt_position_change, MAX(n, 1))};
  for (guint i = 0; i < n; i++)
    plan->tokens[i] = mt_changes_position_of(changes, stack, i);
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

mt_changes *
regard_position_plan_apply(const RegardPositionPlan *plan, const mt_changes *changes,
                           gboolean is_of_all, mt_error *error)
{
  g_auto(GStrv) lines = g_strsplit(mt_changes_text(changes), "\n", -1);
  g_autoptr(GString) text = g_string_new(NULL);
  for (char **line = lines; *line; line++)
    if (!g_str_has_prefix(*line, places[plan->stack]))
      g_string_append_printf(text, "%s\n", *line);
  write_plan(&(Writing){plan, text, is_of_all});
  mt_changes *parsed = mt_changes_parse("positions", text->str, error);
  /* The text of a list does not hold its means. */
  const mt_means *means = mt_changes_means(changes);
  if (!parsed || !means)
    return parsed;
  mt_changes *whole = mt_changes_with_means(parsed, (mt_means *) means, error);
  mt_changes_unref(parsed);
  return whole;
}
