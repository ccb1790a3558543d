/* train-corpus.c — all clean pairs of all sources, read once and kept in a temporary file.
 *
 * In the file: for each pair its source and the lengths of its sides, three 32-bit numbers, then
 * the texts, each with a NUL.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-corpus.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <mt-train.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EVERY 1024 /* lines between two looks at the progress */

typedef struct {
  guint32 source, lengths[MT_N_STACKS];
} Record;

struct _TrainCorpus {
  FILE *file;
  guint64 n, next;
  GString *text; /* of the pair that was read last, both sides */
};

/* ---- The temporary file ---------------------------------------------------------------------- */

static bool
fail_scratch(const char *what, mt_error *error)
{
  return mt_fail(error, MT_ERROR_IO, "The temporary file cannot be %s (%s).", what,
                 g_strerror(errno));
}

static FILE *
open_scratch(const char *folder, mt_error *error)
{
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    /* Not every file system has files without a name. */
    g_autofree char *path = g_build_filename(folder, ".regard-train-XXXXXX", NULL);
    fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
      g_unlink(path);
  }
  FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
  if (file)
    return file;
  if (fd >= 0)
    close(fd);
  mt_fail(error, MT_ERROR_IO, "%s: a temporary file cannot be written there (%s).", folder,
          g_strerror(errno));
  return NULL;
}

static gboolean
keep(TrainCorpus *corpus, guint source, GString *const sides[MT_N_STACKS], mt_error *error)
{
  const Record record = {source, {(guint32) sides[0]->len, (guint32) sides[1]->len}};
  if (fwrite(&record, sizeof record, 1, corpus->file) != 1 ||
      fwrite(sides[0]->str, sides[0]->len + 1, 1, corpus->file) != 1 ||
      fwrite(sides[1]->str, sides[1]->len + 1, 1, corpus->file) != 1)
    return fail_scratch("written", error);
  corpus->n++;
  return TRUE;
}

gboolean
train_corpus_rewind(TrainCorpus *corpus, mt_error *error)
{
  corpus->next = 0;
  return (fflush(corpus->file) == 0 && fseek(corpus->file, 0, SEEK_SET) == 0) ||
         fail_scratch("written", error);
}

gboolean
train_corpus_next(TrainCorpus *corpus, TrainPair *pair, gboolean *is_end, mt_error *error)
{
  Record record;
  *is_end = corpus->next == corpus->n;
  if (*is_end)
    return TRUE;
  if (fread(&record, sizeof record, 1, corpus->file) != 1)
    return fail_scratch("read", error);
  gsize n = (gsize) record.lengths[0] + record.lengths[1] + 2;
  g_string_set_size(corpus->text, n);
  if (fread(corpus->text->str, n, 1, corpus->file) != 1)
    return fail_scratch("read", error);
  *pair = (TrainPair){
      .i = corpus->next++,
      .source = record.source,
      .texts = {corpus->text->str, corpus->text->str + record.lengths[0] + 1},
      .lengths = {record.lengths[0], record.lengths[1]},
  };
  return TRUE;
}

void
train_corpus_free(TrainCorpus *corpus)
{
  if (!corpus)
    return;
  if (corpus->file)
    fclose(corpus->file);
  g_string_free(corpus->text, TRUE);
  g_free(corpus);
}

guint64
train_corpus_count(const TrainCorpus *corpus)
{
  return corpus->n;
}

/* ---- Sentences of test sets ------------------------------------------------------------------ */

/* Sets of 64-bit numbers, as pointers. */
G_STATIC_ASSERT(sizeof(gpointer) == sizeof(guint64));

static void
exclude_text(GHashTable *set, const char *text, gsize n)
{
  guint64 hash = g_utf8_validate(text, (gssize) n, NULL) ? train_hash_loosely(text, n) : 0;
  if (hash)
    g_hash_table_add(set, GSIZE_TO_POINTER(hash));
}

/* All lines of a file, and what is between tabs in them. */
static gboolean
exclude_file(GHashTable *set, const char *path, TrainProgress *progress, mt_error *error)
{
  mt_text_file *file = mt_text_file_open(path, error);
  bool ok = file != NULL, is_end = false;
  while (ok && !is_end) {
    mt_text_line line;
    ok = mt_text_file_next(file, &line, &is_end, error);
    if (!ok || is_end)
      break;
    for (const char *at = line.text, *end = line.text + line.n; at <= end;) {
      const char *tab = memchr(at, '\t', (gsize) (end - at));
      const char *stop = tab ? tab : end;
      exclude_text(set, at, (gsize) (stop - at));
      at = stop + 1;
    }
    if (line.number % EVERY == 0)
      ok = train_progress_tell(progress, "Reading test sets", path, -1, error);
  }
  mt_text_file_free(file);
  return ok;
}

/* ---- A source -------------------------------------------------------------------------------- */

/* What is the same for all lines. */
typedef struct {
  const TrainPlan *plan;
  TrainLimits limits;
  GHashTable *excluded, *seen;
  GString *sides[MT_N_STACKS];
  TrainCorpus *corpus;
  TrainProgress *progress;
} Reader;

/* The columns of a line with tabs; FALSE if it has not so many. */
static gboolean
split(const TrainSource *source, const mt_text_line *line, const char *texts[MT_N_STACKS],
      gsize lengths[MT_N_STACKS])
{
  const guint last = MAX(source->columns[0], source->columns[1]);
  const char *at = line->text, *end = line->text + line->n;
  for (guint column = 0; column <= last; column++) {
    const char *tab = memchr(at, '\t', (gsize) (end - at));
    const char *stop = tab ? tab : end;
    for (int s = 0; s < MT_N_STACKS; s++)
      if (source->columns[s] == column) {
        texts[s] = at;
        lengths[s] = (gsize) (stop - at);
      }
    if (!tab && column < last)
      return FALSE;
    at = stop + 1;
  }
  return TRUE;
}

static gboolean
is_excluded(const Reader *r)
{
  for (int s = 0; s < MT_N_STACKS; s++) {
    guint64 hash = train_hash_loosely(r->sides[s]->str, r->sides[s]->len);
    if (hash && g_hash_table_contains(r->excluded, GSIZE_TO_POINTER(hash)))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_duplicate(const Reader *r)
{
  guint64 first = train_hash(r->sides[0]->str, r->sides[0]->len, 0);
  guint64 both = train_hash(r->sides[1]->str, r->sides[1]->len, first);
  return !g_hash_table_add(r->seen, GSIZE_TO_POINTER(both));
}

static gboolean
take_pair(Reader *r, guint i, const char *const texts[MT_N_STACKS],
          const gsize lengths[MT_N_STACKS], TrainCounts *counts, mt_error *error)
{
  const TrainSource *source = g_ptr_array_index(r->plan->sources, i);
  TrainDrop drop = train_clean_pair(texts, lengths, &r->limits, r->sides);
  if (!drop && !source->heldout && is_excluded(r))
    drop = TRAIN_DROP_EXCLUDED;
  if (!drop && is_duplicate(r))
    drop = TRAIN_DROP_DUPLICATE;
  counts->dropped[drop]++;
  return drop || keep(r->corpus, i, r->sides, error);
}

/* One line of a source; *is_end behind the last. */
static bool
take_line(Reader *r, guint i, mt_text_file *const files[MT_N_STACKS], TrainCounts *counts,
          bool *is_end, mt_error *error)
{
  const TrainSource *source = g_ptr_array_index(r->plan->sources, i);
  mt_text_line lines[MT_N_STACKS];
  if (!mt_text_file_next(files[0], &lines[0], is_end, error))
    return false;
  if (files[1]) {
    bool other_end;
    if (!mt_text_file_next(files[1], &lines[1], &other_end, error))
      return false;
    if (*is_end != other_end)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected as many lines as in %s, found %s after line %" G_GUINT64_FORMAT
                     ".",
                     source->files[1], source->files[0], other_end ? "its end" : "more",
                     other_end ? lines[0].number - 1 : lines[1].number - 1);
  }
  if (*is_end)
    return true;
  if (lines[0].number > source->last) {
    *is_end = true;
    return true;
  }
  if (lines[0].number < source->first)
    return true;
  counts->n_read++;
  const char *texts[MT_N_STACKS] = {lines[0].text};
  gsize lengths[MT_N_STACKS] = {lines[0].n};
  gboolean is_cut = lines[0].is_cut;
  if (files[1]) {
    texts[1] = lines[1].text;
    lengths[1] = lines[1].n;
    is_cut = is_cut || lines[1].is_cut;
  } else if (!is_cut && !split(source, &lines[0], texts, lengths)) {
    counts->dropped[TRAIN_DROP_COLUMNS]++;
    return true;
  }
  if (is_cut) {
    counts->dropped[TRAIN_DROP_LONG]++;
    return true;
  }
  return take_pair(r, i, texts, lengths, counts, error);
}

static gboolean
read_source(Reader *r, guint i, TrainCounts *counts, mt_error *error)
{
  const TrainSource *source = g_ptr_array_index(r->plan->sources, i);
  mt_text_file *files[MT_N_STACKS] = {0};
  bool ok = true, is_end = false;
  for (int s = 0; ok && s < MT_N_STACKS && source->files[s]; s++) {
    files[s] = mt_text_file_open(source->files[s], error);
    ok = files[s] != NULL;
  }
  for (guint64 n = 0; ok && !is_end; n++) {
    ok = take_line(r, i, files, counts, &is_end, error);
    if (ok && n % EVERY == 0) {
      guint64 size = mt_text_file_size(files[0]);
      double done = size ? (double) mt_text_file_position(files[0]) / (double) size : -1;
      ok = train_progress_tell(r->progress, "Reading", source->name, done, error);
    }
  }
  mt_text_file_free(files[0]);
  mt_text_file_free(files[1]);
  return ok;
}

TrainCorpus *
train_corpus_read(const TrainPlan *plan, const char *scratch, TrainCounts *counts,
                  TrainProgress *progress, mt_error *error)
{
  g_autoptr(TrainCorpus) corpus = g_new0(TrainCorpus, 1);
  corpus->text = g_string_new(NULL);
  corpus->file = open_scratch(scratch, error);
  if (!corpus->file)
    return NULL;
  g_autoptr(GHashTable) excluded = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  g_autoptr(GString) source_side = g_string_new(NULL);
  g_autoptr(GString) target_side = g_string_new(NULL);
  for (guint i = 0; i < plan->exclude->len; i++)
    if (!exclude_file(excluded, g_ptr_array_index(plan->exclude, i), progress, error))
      return NULL;
  Reader r = {
      .plan = plan,
      .limits = {.max_chars = (gsize) plan->max_chars, .max_ratio = plan->max_ratio},
      .excluded = excluded,
      .seen = seen,
      .sides = {source_side, target_side},
      .corpus = corpus,
      .progress = progress,
  };
  for (guint i = 0; i < plan->sources->len; i++)
    if (!read_source(&r, i, &counts[i], error))
      return NULL;
  return g_steal_pointer(&corpus);
}
