/* regard-quality-run.c — a text translated without changes and with them, and scored by length.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "measure/regard-quality-run.h"

#include "base/regard-error.h"
#include <gio/gio.h>
#include <glib.h>
#include <glib/gi18n.h>
#include <mt-train.h>
#include <string.h>

/* A file is held in memory. */
#define MOST_BYTES (64 << 20)

/* ==== Two files that say the same line by line ================================================ */

/* Both equally long, without pairs of which one is blank. */
typedef struct {
  GPtrArray *texts, *references; /* of char * */
} RegardPairs;

static void
pairs_free(RegardPairs *pairs)
{
  g_clear_pointer(&pairs->texts, g_ptr_array_unref);
  g_clear_pointer(&pairs->references, g_ptr_array_unref);
  g_free(pairs);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardPairs, pairs_free)

/* Lines of a file, without their ends. NULL and an error. */
static GPtrArray *
read_lines(const char *path, GError **error)
{
  g_autofree char *name = g_path_get_basename(path);
  mt_error cause = {0};
  mt_bytes bytes;
  if (!mt_file_read_whole(path, MOST_BYTES, false, &bytes, &cause)) {
    regard_error_set_from_mt(error, &cause);
    return NULL;
  }
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
  const char *p = (const char *) bytes.data, *end = p + bytes.size;
  while (p < end) {
    const char *stop = memchr(p, '\n', (gsize) (end - p));
    gsize n = (gsize) ((stop ? stop : end) - p);
    if (!g_utf8_validate(p, (gssize) n, NULL)) { /* a NUL is not valid, either */
      g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("%s:%u: the line is not UTF-8 text."),
                  name, lines->len + 1);
      mt_bytes_clear(&bytes);
      return NULL;
    }
    g_ptr_array_add(lines, g_strndup(p, n > 0 && p[n - 1] == '\r' ? n - 1 : n));
    p = stop ? stop + 1 : end;
  }
  mt_bytes_clear(&bytes);
  return g_steal_pointer(&lines);
}

static gboolean
is_blank(const char *text)
{
  for (; *text; text = g_utf8_next_char(text))
    if (!g_unichar_isspace(g_utf8_get_char(text)))
      return FALSE;
  return TRUE;
}

/* NULL: a file cannot be read, is too large, has a line that is no UTF-8, which is named, has other
 * lines than the other, or there is no pair. */
static RegardPairs *
read_pairs(const char *texts, const char *references, GError **error)
{
  g_autoptr(GPtrArray) a = read_lines(texts, error);
  g_autoptr(GPtrArray) b = a ? read_lines(references, error) : NULL;
  if (!b)
    return NULL;
  g_autofree char *a_name = g_path_get_basename(texts);
  g_autofree char *b_name = g_path_get_basename(references);
  if (a->len != b->len) {
    g_set_error(
        error, REGARD_ERROR, REGARD_ERROR_INPUT,
        _("%s has %u lines and %s %u: a reference stands in the same line as its sentence."),
        a_name, a->len, b_name, b->len);
    return NULL;
  }
  g_autoptr(RegardPairs) pairs = g_new0(RegardPairs, 1);
  pairs->texts = g_ptr_array_new_with_free_func(g_free);
  pairs->references = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < a->len; i++)
    if (!is_blank(a->pdata[i]) && !is_blank(b->pdata[i])) {
      g_ptr_array_add(pairs->texts, g_strdup(a->pdata[i]));
      g_ptr_array_add(pairs->references, g_strdup(b->pdata[i]));
    }
  if (pairs->texts->len == 0) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_INPUT, _("%s and %s have no sentence."), a_name,
                b_name);
    return NULL;
  }
  return g_steal_pointer(&pairs);
}

/* ==== The run ================================================================================= */

/* Draws of the bootstrap, and so many sentences times draws at most: half a second. */
#define DRAWS     1000
#define MOST_WORK 20000000

typedef struct {
  const RegardQualityText *text;
  guint n_systems, system; /* the one that is running */
  guint next;
  char **translations[2]; /* [n]; NULL: there is none */
  guint *lengths;         /* [n] */
  mt_error error;         /* what ended it, beside not being able to translate a sentence */
} Work;

static const char *
next_text(void *user)
{
  Work *self = user;
  return self->next < self->text->n ? self->text->texts[self->next++] : NULL;
}

/* Pieces of the source without </s>. */
static guint
count_pieces(const mt_tokens *tokens)
{
  guint n = 0;
  for (gsize i = 0; i < mt_tokens_count(tokens); i++)
    n += !mt_tokens_get(tokens, i)->is_special;
  return n;
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Work *self = user;
  const double done = self->system + (double) (i + 1) / self->text->n;
  if (translation) {
    self->translations[self->system][i] = g_strdup(mt_translation_hypothesis(translation, 0)->text);
    self->lengths[i] = count_pieces(mt_translation_source(translation));
  }
  if (self->text->on_progress)
    self->text->on_progress(self->text->user, done / self->n_systems);
}

static gboolean
translate(Work *self, mt_session *session, guint system, mt_error *error)
{
  mt_hooks hooks = *self->text->hooks;
  const mt_texts texts = {.next = next_text, .on_result = on_result, .user = self, .hooks = &hooks};
  if (system == 0)
    hooks.interventions = NULL;
  self->system = system;
  self->next = 0;
  return mt_session_translate_many(session, &texts, self->text->params, error);
}

static guint
find_length(guint n_pieces)
{
  guint n;
  const RegardQualityRow *lengths = regard_quality_lengths(&n);
  guint i = 0;
  while (i + 1 < n && n_pieces > lengths[i].most)
    i++;
  return i;
}

static RegardInterval
interval(mt_interval from)
{
  return (RegardInterval){from.value, from.lo, from.hi};
}

/* FALSE and *error: stopped, or no memory. */
static gboolean
append_row(const Work *self, const mt_quality *quality, gsize group, RegardQualityRow like,
           guint n_draws, GArray *rows, mt_error *error)
{
  mt_quality_scores scores;
  if (!mt_quality_compute(quality, group, n_draws, self->text->hooks->should_stop,
                          self->text->hooks->user, &scores, error))
    return FALSE;
  if (scores.n == 0)
    return TRUE;
  like.n = (guint) scores.n;
  for (guint m = 0; m < REGARD_N_QUALITIES; m++) {
    for (guint s = 0; s < 2; s++)
      like.scores[s][m] = interval(scores.scores[s][m]);
    like.differences[m] = interval(scores.differences[m]);
  }
  g_array_append_val(rows, like);
  return TRUE;
}

static RegardQuality *
score(const Work *self, const mt_model *model, mt_error *error)
{
  guint n_lengths, n_left_out = 0;
  const RegardQualityRow *lengths = regard_quality_lengths(&n_lengths);
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(RegardQualityRow));
  mt_quality *quality = mt_quality_new(self->n_systems, error);
  gboolean ok = quality != NULL;
  for (guint i = 0; ok && i < self->text->n; i++) {
    const char *both[] = {self->translations[0][i],
                          self->n_systems > 1 ? self->translations[1][i] : NULL};
    if (!both[0] || (self->n_systems > 1 && !both[1]))
      n_left_out++;
    else
      ok = mt_quality_add(quality, find_length(self->lengths[i]), both, self->text->references[i],
                          error);
  }
  const guint n = self->text->n - n_left_out;
  const guint n_draws = CLAMP(MOST_WORK / MAX(n, 1), 100, DRAWS);
  if (ok && n == 0) {
    *error = (mt_error){.code = MT_ERROR_INPUT};
    g_strlcpy(error->message, _("There is no sentence that this model can translate."),
              sizeof error->message);
    ok = FALSE;
  }
  ok = ok && append_row(self, quality, MT_QUALITY_ALL, (RegardQualityRow){0}, n_draws, rows, error);
  for (guint i = 0; ok && i < n_lengths; i++)
    ok = append_row(self, quality, i, lengths[i], n_draws, rows, error);
  mt_quality_free(quality);
  if (!ok)
    return NULL;
  const guint n_rows = rows->len;
  return regard_quality_new(model, self->text->file, self->text->hooks->interventions,
                            (RegardQualityRow *) (void *) g_array_free(g_steal_pointer(&rows),
                                                                       FALSE),
                            n_rows, n_left_out, n_draws);
}

RegardQuality *
regard_quality_run(mt_session *session, const mt_model *model, const RegardQualityText *text,
                   mt_error *error)
{
  RegardQuality *quality = NULL;
  Work work = {.text = text,
               .n_systems = mt_interventions_count(text->hooks->interventions) ? 2 : 1};
  work.lengths = g_new0(guint, text->n);
  for (guint s = 0; s < work.n_systems; s++)
    work.translations[s] = g_new0(char *, text->n);
  gboolean ok = TRUE;
  for (guint s = 0; ok && s < work.n_systems; s++)
    ok = translate(&work, session, s, error);
  if (ok)
    quality = score(&work, model, error);
  for (guint s = 0; s < work.n_systems; s++) {
    for (guint i = 0; i < text->n; i++)
      g_free(work.translations[s][i]);
    g_free(work.translations[s]);
  }
  g_free(work.lengths);
  return quality;
}

/* ---- Files ----------------------------------------------------------------------------------- */

RegardQuality *
regard_quality_run_files(const RegardQualityShares *wanted, GError **error)
{
  g_autoptr(RegardPairs) pairs = read_pairs(wanted->file, wanted->references, error);
  mt_error cause = {0};
  if (!pairs)
    return NULL;
  g_autofree char *name = g_path_get_basename(wanted->file);
  g_autofree char *display = g_filename_display_name(name);
  mt_request request = wanted->request ? mt_request_copy(wanted->request) : (mt_request){0};
  mt_request_set_constraints(&request, NULL);
  mt_request_set_interventions(&request, NULL);
  const mt_search_params params = mt_request_resolve(&request, wanted->model);
  const mt_hooks hooks = {.interventions = wanted->interventions,
                          .should_stop = wanted->should_stop,
                          .user = wanted->stop};
  const RegardQualityText text = {
      .texts = (const char *const *) pairs->texts->pdata,
      .references = (const char *const *) pairs->references->pdata,
      .n = pairs->texts->len,
      .file = display,
      .params = &params,
      .hooks = &hooks,
      .on_progress = wanted->on_progress,
      .user = wanted->progress,
  };
  mt_session *session = mt_session_new(wanted->model, NULL, &cause);
  RegardQuality *quality =
      session ? regard_quality_run(session, wanted->model, &text, &cause) : NULL;
  mt_session_free(session);
  mt_request_clear(&request);
  if (!quality)
    regard_error_set_from_mt(error, &cause);
  return quality;
}
