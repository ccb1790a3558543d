/* train-corpus.c — clean pairs of all sources, read once and kept in a temporary file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In the file: for each pair its source and the lengths of its sides, three 32-bit numbers, then
 * the texts, each with a NUL.
 */
#include "train/train-corpus.h"

#include "cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <mt-train.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ==== How far it is, on a terminal; and whether it shall stop ================================= */

#define INTERVAL (G_USEC_PER_SEC / 5)

struct _TrainProgress {
  gboolean shown;
  gint64 next; /* time to write again */
  struct sigaction before[3];
};

static volatile sig_atomic_t interrupted;
/* The last one is our own. */
static const int signals[] = {SIGINT, SIGTERM, SIGALRM};

/* A call that waits returns when a signal comes while it does; the alarm is for one that began to
 * wait just after the signal had come. */
static void
interrupt(int number)
{
  interrupted = 1;
  alarm(1);
}

TrainProgress *
train_progress_new(gboolean quiet)
{
  TrainProgress *progress = g_new0(TrainProgress, 1);
  progress->shown = !quiet && isatty(STDERR_FILENO);
  interrupted = 0;
  /* SA_RESETHAND: the second one ends the program, where it is in a library that does not ask. Not
   * SA_RESTART: where it waits for a pipe, nobody asks either (MT_ERROR_CANCELLED of reading). */
  struct sigaction action = {.sa_handler = interrupt};
  sigemptyset(&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++) {
    action.sa_flags = signals[i] == SIGALRM ? 0 : (int) SA_RESETHAND;
    sigaction(signals[i], &action, &progress->before[i]);
  }
  return progress;
}

void
train_progress_free(TrainProgress *progress)
{
  if (!progress)
    return;
  cli_end_progress(FALSE);
  alarm(0);
  for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
    sigaction(signals[i], &progress->before[i], NULL);
  g_free(progress);
}

gboolean
train_progress_tell(TrainProgress *progress, const char *what, const char *detail, double fraction,
                    mt_error *error)
{
  if (interrupted)
    return mt_fail(error, MT_ERROR_CANCELLED, "Interrupted; nothing was written.");
  if (!progress->shown)
    return TRUE;
  gint64 now = g_get_monotonic_time();
  if (now < progress->next)
    return TRUE;
  progress->next = now + INTERVAL;
  g_autofree char *percent = fraction >= 0 ? g_strdup_printf(", %.0f %%", 100 * fraction) : NULL;
  g_autofree char *text =
      g_strconcat(what, detail ? ": " : "", detail ? detail : "", percent ? percent : "", NULL);
  cli_show_progress(text);
  return TRUE;
}

/* ==== What of a pair of sentences is kept, and why others are not ============================= */

const char *
train_drop_name(TrainDrop drop)
{
  static const char *const names[TRAIN_N_DROPS] = {
      "kept",  "columns", "utf8", "control",   "empty",   "long",
      "ratio", "copy",    "test", "duplicate", "heldout", "tokens",
  };
  return names[drop];
}

/* ---- One side -------------------------------------------------------------------------------- */

/* White space goes to one space, none at the ends; *n_chars counts code points. */
static TrainDrop
squeeze(const char *text, gsize n, GString *out, gsize *n_chars)
{
  gboolean space = FALSE;
  g_string_truncate(out, 0);
  *n_chars = 0;
  for (const char *at = text; at < text + n; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    /* A tab or a no-break space is a space; U+0085 and the like are controls, too. */
    if (g_unichar_isspace(c)) {
      space = TRUE;
      continue;
    }
    if (g_unichar_type(c) == G_UNICODE_CONTROL || c == 0xfffd)
      return TRAIN_DROP_CONTROL;
    if (space && out->len > 0) {
      g_string_append_c(out, ' ');
      ++*n_chars;
    }
    space = FALSE;
    g_string_append_len(out, at, g_utf8_next_char(at) - at);
    ++*n_chars;
  }
  return TRAIN_KEPT;
}

/* Text whose code points are all below this is in form C: nothing there composes. */
#define FIRST_COMBINING 0x300

static gboolean
is_composed(const char *text, gsize n)
{
  /* U+0300 begins with 0xcc. */
  G_STATIC_ASSERT(FIRST_COMBINING == (0xcc & 0x1f) << 6);
  for (gsize i = 0; i < n; i++)
    if ((guchar) text[i] >= 0xcc)
      return FALSE;
  return TRUE;
}

static TrainDrop
clean_side(const char *text, gsize n, GString *out, gsize *n_chars)
{
  if (!g_utf8_validate(text, (gssize) n, NULL)) {
    /* GLib calls a NUL invalid. */
    return memchr(text, '\0', n) ? TRAIN_DROP_CONTROL : TRAIN_DROP_UTF8;
  }
  if (is_composed(text, n))
    return squeeze(text, n, out, n_chars);
  g_autofree char *composed = g_utf8_normalize(text, (gssize) n, G_NORMALIZE_NFC);
  return squeeze(composed, strlen(composed), out, n_chars);
}

TrainDrop
train_clean_pair(const char *const texts[2], const gsize lengths[2], const TrainLimits *limits,
                 GString *const out[2])
{
  TrainDrop drop = TRAIN_KEPT;
  gsize n_chars[2];
  for (int s = 0; s < 2 && !drop; s++)
    drop = clean_side(texts[s], lengths[s], out[s], &n_chars[s]);
  if (drop)
    return drop;
  if (n_chars[0] == 0 || n_chars[1] == 0)
    return TRAIN_DROP_EMPTY;
  gsize longer = MAX(n_chars[0], n_chars[1]), shorter = MIN(n_chars[0], n_chars[1]);
  if (longer > limits->max_chars)
    return TRAIN_DROP_LONG;
  if ((double) longer > limits->max_ratio * (double) shorter + TRAIN_RATIO_SLACK)
    return TRAIN_DROP_RATIO;
  return g_string_equal(out[0], out[1]) ? TRAIN_DROP_COPY : TRAIN_KEPT;
}

/* ---- Numbers for texts ----------------------------------------------------------------------- */

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit. */
static guint64
mix(guint64 z)
{
  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

#define FNV_BASIS G_GUINT64_CONSTANT(0xcbf29ce484222325)
#define FNV_PRIME G_GUINT64_CONSTANT(0x100000001b3)
#define GOLDEN    G_GUINT64_CONSTANT(0x9e3779b97f4a7c15)

guint64
train_hash(const char *text, gsize n, guint64 salt)
{
  guint64 hash = FNV_BASIS ^ mix(salt);
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ (guchar) text[i]) * FNV_PRIME;
  return mix(hash);
}

guint64
train_hash_loosely(const char *text, gsize n)
{
  guint64 hash = FNV_BASIS;
  gboolean any = FALSE;
  for (const char *at = text; at < text + n; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    if (!g_unichar_isalnum(c) && !g_unichar_ismark(c))
      continue;
    any = TRUE;
    hash = (hash ^ g_unichar_tolower(c)) * FNV_PRIME;
    hash = mix(hash);
  }
  /* 0 is taken. */
  return any ? hash | 1 : 0;
}

double
train_draw(guint64 seed, guint64 purpose, guint64 i)
{
  guint64 bits = mix(mix(mix(seed + GOLDEN) ^ purpose) + (i + 1) * GOLDEN);
  return ((double) (bits >> 11) + 1) * 0x1p-53;
}

/* ==== The pairs =============================================================================== */

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

/* ==== Some of many, drawn by weight ==============================================================
 *
 * A heap with the largest of the n smallest keys on top.
 */

typedef struct {
  double key;
  guint64 i;
} Item;

struct _TrainSample {
  gsize n;
  guint64 seed, purpose;
  GArray *heap; /* of Item */
};

TrainSample *
train_sample_new(gsize n, guint64 seed, guint64 purpose)
{
  TrainSample *sample = g_new0(TrainSample, 1);
  sample->n = n;
  sample->seed = seed;
  sample->purpose = purpose;
  sample->heap = g_array_new(FALSE, FALSE, sizeof(Item));
  return sample;
}

void
train_sample_free(TrainSample *sample)
{
  if (!sample)
    return;
  g_array_unref(sample->heap);
  g_free(sample);
}

static Item
draw(const TrainSample *sample, guint64 i, double weight)
{
  return (Item){.key = -log(train_draw(sample->seed, sample->purpose, i)) / weight, .i = i};
}

/* No two are the same. */
static gboolean
is_before(Item a, Item b)
{
  return a.key < b.key || (a.key == b.key && a.i < b.i);
}

static void
rise(Item *heap, gsize at)
{
  while (at > 0) {
    gsize parent = (at - 1) / 2;
    if (!is_before(heap[parent], heap[at]))
      return;
    Item item = heap[at];
    heap[at] = heap[parent];
    heap[parent] = item;
    at = parent;
  }
}

static void
sink(Item *heap, gsize n, gsize at)
{
  for (gsize child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && is_before(heap[child], heap[child + 1]))
      child++;
    if (!is_before(heap[at], heap[child]))
      return;
    Item item = heap[at];
    heap[at] = heap[child];
    heap[child] = item;
    at = child;
  }
}

void
train_sample_offer(TrainSample *sample, guint64 i, double weight)
{
  Item item = draw(sample, i, weight);
  GArray *heap = sample->heap;
  if (heap->len < sample->n) {
    g_array_append_val(heap, item);
    rise((Item *) (void *) heap->data, heap->len - 1);
  } else if (sample->n > 0 && is_before(item, g_array_index(heap, Item, 0))) {
    g_array_index(heap, Item, 0) = item;
    sink((Item *) (void *) heap->data, heap->len, 0);
  }
}

gboolean
train_sample_has(const TrainSample *sample, guint64 i, double weight)
{
  if (sample->heap->len == 0)
    return FALSE;
  return !is_before(g_array_index(sample->heap, Item, 0), draw(sample, i, weight));
}
