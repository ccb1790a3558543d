/* regard-lesson-found.c — what somebody found who was asked to find something, or what is missing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It follows from the condition behind `found if`, so that a lesson need not write it: who reads
 * "not yet" sees how far away it is.
 */
#include "learn/regard-lesson-found.h"

#include "figures/regard-naming.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* What a measure without arguments is here; NULL: it is not there. Caller frees. */
static char *
dup_text(const char *name, const RegardSetting *setting)
{
  static const RegardArgument none[REGARD_MEASURE_MOST_ARGUMENTS];
  RegardValue value = {0};
  mt_error refused = {0};
  regard_measure_take(regard_measure_find(name), &setting->here, none, &value, &refused);
  return value.text ? g_strstrip(value.text) : NULL;
}

static double
take_number(const char *name, const RegardSetting *setting)
{
  static const RegardArgument none[REGARD_MEASURE_MOST_ARGUMENTS];
  RegardValue value = {0};
  mt_error refused = {0};
  return regard_measure_take(regard_measure_find(name), &setting->here, none, &value, &refused)
             ? value.number
             : NAN;
}

static gboolean
is_of_cell(const RegardCompared *compared)
{
  return compared->measure && g_str_has_prefix(regard_measure_name(compared->measure), "chosen-");
}

static gboolean
is_of(const RegardCompared *compared, const char *measure)
{
  return compared->measure && g_str_equal(regard_measure_name(compared->measure), measure);
}

/* ---- What is missing ------------------------------------------------------------------------- */

static char *
say_number_missing(const RegardCompared *compared)
{
  static const char *const formats[] = {
      [REGARD_LESS] = N_("Not yet: %s. Wanted is less than %s (%s)."),
      [REGARD_LESS_EQUAL] = N_("Not yet: %s. Wanted is %s at most (%s)."),
      [REGARD_EQUAL] = N_("Not yet: %s. Wanted is %s (%s)."),
      [REGARD_NOT_EQUAL] = N_("Not yet: %s. Wanted is anything but %s (%s)."),
      [REGARD_GREATER] = N_("Not yet: %s. Wanted is more than %s (%s)."),
      [REGARD_GREATER_EQUAL] = N_("Not yet: %s. Wanted is %s or more (%s)."),
  };
  g_autofree char *left = regard_value_say(&compared->left),
                  *right = regard_value_say(&compared->right);
  const char *what =
      compared->measure ? regard_measure_help(compared->measure) : _("what is measured");
  return g_strdup_printf(_(formats[compared->relation]), left, right, what);
}

static char *
say_text_missing(const RegardCompared *compared)
{
  const char *left = compared->left.text, *right = compared->right.text;
  if (compared->relation == REGARD_NOT_EQUAL)
    return g_strdup_printf(_("Not yet: it is “%s” both times, and wanted is a difference."), left);
  if (compared->relation == REGARD_EQUAL)
    return g_strdup_printf(_("Not yet: “%s”. Wanted is “%s”."), left, right);
  if (*left == '\0')
    return g_strdup_printf(_("Not yet: nothing is changed. Wanted is a change with “%s”."), right);
  return g_strdup_printf(_("Not yet: “%s”. Wanted is a change with “%s”."), left, right);
}

/* Of the cell that was chosen. */
static char *
say_cell_missing(const RegardCompared *compared, const RegardSetting *setting)
{
  const RegardSituation *here = &setting->here;
  g_autofree char *head = regard_naming_head(here->kind, here->layer, here->head);
  g_autofree char *query = dup_text("chosen-query", setting),
                  *key = dup_text("chosen-key", setting);
  if (!here->has_cell)
    return g_strdup(_("Not yet: no cell is chosen. Click the one that you mean."));
  if (compared->left.text)
    return g_strdup_printf(_("Not yet: the chosen cell is of the head %s, row “%s”, column “%s”. "
                             "Another one is wanted."),
                           head, query ? query : "", key ? key : "");
  return say_number_missing(compared);
}

static char *
say_missing(const RegardCompared *compared, const RegardSetting *setting)
{
  if (is_of_cell(compared))
    return say_cell_missing(compared, setting);
  return compared->left.text ? say_text_missing(compared) : say_number_missing(compared);
}

/* ---- What was found -------------------------------------------------------------------------- */

static char *
say_cell(const RegardSetting *setting)
{
  const RegardSituation *here = &setting->here;
  g_autofree char *head = regard_naming_head(here->kind, here->layer, here->head);
  g_autofree char *query = dup_text("chosen-query", setting);
  return g_strdup_printf(_("Found: %s, row “%s”, %.0f %%."), head, query ? query : "",
                         100 * take_number("chosen-weight", setting));
}

static char *
say_changes(const RegardSetting *setting)
{
  g_autofree char *changes = dup_text("changes", setting),
                  *translation = dup_text("translation", setting);
  g_auto(GStrv) lines = g_strsplit(changes ? changes : "", "\n", -1);
  g_autofree char *line = g_strjoinv("; ", lines);
  return g_strdup_printf(_("Found: with “%s” it is “%s”."), line, translation ? translation : "");
}

static char *
say_measured(const RegardCompared *compared)
{
  g_autofree char *value = regard_value_say(&compared->left);
  if (compared->left.text)
    return g_strdup_printf(_("Found: “%s”."), value);
  return compared->measure
             ? g_strdup_printf(_("Found: %s (%s)."), value, regard_measure_help(compared->measure))
             : g_strdup_printf(_("Found: %s."), value);
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* The line that holds, or the last one. */
static const RegardCondition *
find_condition(const RegardLessonStep *step, const RegardSetting *setting, gboolean is_found,
               mt_error *error)
{
  const RegardCondition *condition = NULL;
  gboolean holds = FALSE;
  for (guint i = 0; i < step->directives->len && !(is_found && holds); i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    if (directive->type != REGARD_DIRECTIVE_FOUND)
      continue;
    condition = directive->condition;
    if (!regard_condition_holds(condition, setting, &holds, error))
      return NULL;
  }
  return condition;
}

/* Of all that holds, what says most: a cell, a change, a number, a text. */
static guint
rank(const RegardCompared *compared)
{
  return is_of_cell(compared) ? 4 : is_of(compared, "changes") ? 3 : compared->left.text ? 1 : 2;
}

char *
regard_lesson_say_found(const RegardLessonStep *step, const RegardSetting *setting,
                        gboolean is_found, mt_error *error)
{
  const RegardCondition *condition = find_condition(step, setting, is_found, error);
  char *said = NULL;
  guint best = 0;
  for (guint i = 0; condition && i < regard_condition_n_comparisons(condition); i++) {
    RegardCompared compared;
    if (!regard_condition_compare(condition, i, setting, &compared, error)) {
      g_free(said);
      return NULL;
    }
    if (is_found && rank(&compared) > best) {
      best = rank(&compared);
      g_free(said);
      said = best == 4   ? say_cell(setting)
             : best == 3 ? say_changes(setting)
                         : say_measured(&compared);
    }
    if (!is_found && !compared.holds && !said)
      said = say_missing(&compared, setting);
    regard_compared_clear(&compared);
  }
  return said;
}
