/* regard-sheet-again.c — captures made once more, in a thread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-sheet-again.h"

#include "base/regard-autoptr.h"
#include "base/regard-error.h"
#include "figures/regard-language.h"

#include <string.h>

/* More is not begun: a long text has a capture of a layer alone. */
#define MOST_BYTES ((gsize) 1 << 30)
/* Sums in another order, as those of a capture of several sentences at once, differ by less. */
#define ROUNDING 1e-5

void
regard_sheet_again_free(RegardSheetAgain *again)
{
  mt_capture_unref(again->capture);
  g_free(again->said);
  g_free(again);
}

static void
free_result(gpointer again)
{
  regard_sheet_again_free(again);
}

static void
job_clear(gpointer data)
{
  RegardSheetAgainJob *job = data;
  mt_capture_unref(job->capture);
  mt_model_unref(job->model);
  mt_request_clear(&job->search);
  g_free(job->text);
}

static gpointer
fail(RegardRun *run, char *message)
{
  regard_run_take_error(run, g_error_new_literal(REGARD_ERROR, REGARD_ERROR_UNSUPPORTED, message));
  g_free(message);
  return NULL;
}

/* Of the same kind and layer as a part was; FALSE: it is all of it. */
static gboolean
find_place(const mt_capture *capture, mt_capture_place *place)
{
  gboolean is_part = FALSE;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    if (mt_capture_n_layers(capture, kind) == 1 && mt_capture_is_part(capture, kind)) {
      *place = (mt_capture_place){.kind = (int) kind,
                                  .layer = (int) mt_capture_first_layer(capture, kind),
                                  .head = -1};
      is_part = TRUE;
    }
  }
  return is_part;
}

/* The hypothesis that has the words of before; else the best. */
static gsize
find_hypothesis(mt_translation *translation, const mt_capture *like)
{
  const mt_tokens *output = mt_capture_output(like);
  for (gsize i = 0; output && i < mt_translation_count(translation); i++)
    if (g_str_equal(mt_tokens_text(mt_translation_hypothesis(translation, i)->tokens),
                    mt_tokens_text(output)))
      return i;
  return 0;
}

/* The text translated as it was, or the words that were given; NULL: said in *error. */
static mt_translation *
translate(const RegardSheetAgainJob *job, const mt_capture *like, mt_session *session,
          const mt_hooks *hooks, mt_error *error)
{
  const char *text = job->text ? job->text : mt_tokens_text(mt_capture_source(like));
  const mt_request *search = mt_capture_search(like);
  mt_request request = mt_request_copy(search ? search : &job->search);
  if (job->text)
    mt_request_set_constraints(&request, NULL); /* they were about other words */
  const mt_search_params params = mt_request_resolve(&request, job->model);
  mt_translation *translation =
      search || job->text
          ? mt_session_translate(session, text, &params, hooks, error)
          : mt_session_score_for(session, text, mt_tokens_text(mt_capture_output(like)), &params,
                                 hooks, error);
  mt_request_clear(&request);
  return translation;
}

/* One that is no difference. */
static mt_capture *
capture_again(RegardRun *run, const mt_capture *like, mt_session *session, mt_error *error)
{
  const RegardSheetAgainJob *job = regard_run_get_params(run);
  const mt_interventions *changes = mt_capture_interventions(like);
  const mt_hooks hooks = regard_run_hooks(run, changes);
  mt_capture_place place = {0};
  const gboolean is_part = find_place(like, &place);
  if (mt_capture_naming(like) != MT_NAMING_TRANSLATION || !mt_capture_source(like) ||
      !mt_capture_has_output(like))
    return fail(run, g_strdup(_("It was not made by a translation, which could be done again.")));
  g_autoptr(mt_translation) translation = translate(job, like, session, &hooks, error);
  if (!translation)
    return NULL;
  const gsize at = find_hypothesis(translation, like);
  const gsize bytes =
      mt_capture_bytes_of(job->model, mt_tokens_count(mt_translation_source(translation)),
                          mt_tokens_count(mt_translation_hypothesis(translation, at)->tokens),
                          is_part ? &place : NULL, MT_CAPTURE_POSITIONS, changes);
  if (bytes > MOST_BYTES) {
    g_autofree char *size = g_format_size(bytes);
    return fail(run, g_strdup_printf(_("Its attention would take %s."), size));
  }
  return mt_session_capture_part(session, translation, at, is_part ? &place : NULL,
                                 MT_CAPTURE_POSITIONS, &hooks, error);
}

/* What a person would want to know: another model, another translation, other weights. */
static char *
describe_changes(const mt_capture *before, const mt_capture *after)
{
  const char *model = mt_capture_model_name(after);
  const mt_tokens *x = mt_capture_output(before), *y = mt_capture_output(after);
  mt_error error = {0};
  if (!x || !y || !g_str_equal(mt_tokens_text(x), mt_tokens_text(y)))
    /* Translators: a model, and what it translates now */
    return g_strdup_printf(_("Computed anew with %s: the translation is another one, “%s”."), model,
                           y ? mt_tokens_text(y) : "");
  if (mt_tokens_count(x) != mt_tokens_count(y) || !mt_capture_check_alike(before, after, &error))
    return g_strdup_printf(_("Computed anew with %s, which has other tokens or other heads."),
                           model);
  g_autoptr(mt_capture) difference = mt_capture_difference(before, after, &error);
  const double most = difference ? (double) mt_capture_difference_most(difference) : -1;
  if (most == 0)
    return g_strdup_printf(_("Computed anew with %s: nothing is different."), model);
  if (most > 0 && most < ROUNDING)
    return regard_strdup_printf(
        _("Computed anew with %s: nothing is different but rounding, %.1g at most."), model, most);
  return most > 0
             ? regard_strdup_printf(_("Computed anew with %s: weights differ by %.3g at most."),
                                    model, most)
             : g_strdup_printf(_("Computed anew with %s."), model);
}

static gpointer
compute(RegardRun *run, mt_error *error)
{
  const RegardSheetAgainJob *job = regard_run_get_params(run);
  const mt_capture *a = mt_capture_difference_a(job->capture),
                   *b = mt_capture_difference_b(job->capture);
  g_autoptr(mt_session) session = mt_session_new(job->model, NULL, error);
  g_autoptr(mt_capture) made = NULL;
  if (!session)
    return NULL;
  if (a && b) {
    g_autoptr(mt_capture) first = capture_again(run, a, session, error);
    g_autoptr(mt_capture) second = first ? capture_again(run, b, session, error) : NULL;
    made = second ? mt_capture_difference_aligned(first, second, error) : NULL;
  } else
    made = capture_again(run, job->capture, session, error);
  if (!made)
    return NULL;
  RegardSheetAgain *again = g_new0(RegardSheetAgain, 1);
  const mt_capture *before = b ? b : job->capture;
  const mt_capture *after = b ? mt_capture_difference_b(made) : made;
  again->said = job->text ? NULL : describe_changes(before, after);
  again->capture = g_steal_pointer(&made);
  return again;
}

const RegardTask regard_sheet_again_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardSheetAgainJob),
    .compute = compute,
    .clear_params = job_clear,
    .free_result = free_result,
};
