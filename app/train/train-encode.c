/* train-encode.c — the tokenizer, and pairs to ids, some of which are kept for validation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Encoding takes nearly all of the time: pairs are read by the thousand, encoded by several
 * threads, and written in their order.
 */
#include "train/train-encode.h"

#include "train/train-corpus.h"
#include <mt-train.h>
#include <stdio.h>
#include <string.h>

/* ==== The tokenizer that text is prepared with: one that is there, or a new one =============== */

/* Of a SentencePiece model or a vocabulary, as the engine reads them. */
#define MOST_BYTES ((gsize) 256 << 20)

#define PURPOSE 2 /* of train_draw */

struct _TrainTokenizer {
  mt_new_dir *made; /* NULL: it was there */
  char *folder;
  mt_text_ids *ids;
};

static const char *const spm_files[MT_N_STACKS] = {"source.spm", "target.spm"};
static const char *const vocab_files[MT_N_STACKS] = {"vocab.json", "target_vocab.json"};

/* ---- Training -------------------------------------------------------------------------------- */

/* The sentences to train from, one after the other. */
typedef struct {
  const TrainPlan *plan;
  TrainCorpus *corpus;
  const TrainSample *sample;
  TrainProgress *progress;
  gboolean sides[MT_N_STACKS]; /* which are wanted */
  TrainPair pair;
  int side; /* of the pair, that comes next */
  GString *apart;
  gboolean ok;
  mt_error *error;
} Sentences;

static double
weight_of(const TrainPlan *plan, const TrainPair *pair)
{
  return ((const TrainSource *) g_ptr_array_index(plan->sources, pair->source))->weight;
}

/* The text with a space on both sides of each digit. So a digit is learned as a piece with the
 * space before it, and nothing longer is; SentencePiece's own split_digits would make two pieces of
 * a digit that begins a word, the first of which is that space. */
static void
set_digits_apart(GString *out, const char *text, gsize n)
{
  g_string_truncate(out, 0);
  for (gsize i = 0; i < n; i++) {
    gboolean digit = g_ascii_isdigit(text[i]);
    if (digit)
      g_string_append_c(out, ' ');
    g_string_append_c(out, text[i]);
    if (digit)
      g_string_append_c(out, ' ');
  }
}

static bool
next_sentence(void *user, const char **text, gsize *n)
{
  Sentences *s = user;
  for (;;) {
    for (; s->side < MT_N_STACKS; s->side++)
      if (s->sides[s->side]) {
        *text = s->pair.texts[s->side];
        *n = s->pair.lengths[s->side++];
        if (s->plan->split_digits) {
          set_digits_apart(s->apart, *text, *n);
          *text = s->apart->str;
          *n = s->apart->len;
        }
        return true;
      }
    gboolean is_end;
    s->ok = train_corpus_next(s->corpus, &s->pair, &is_end, s->error);
    if (!s->ok || is_end)
      return false;
    if (s->pair.i % 1024 == 0) {
      s->ok = train_progress_tell(s->progress, "Training a tokenizer", "reading", -1, s->error);
      if (!s->ok)
        return false;
    }
    if (train_sample_has(s->sample, s->pair.i, weight_of(s->plan, &s->pair)))
      s->side = 0;
  }
}

static TrainSample *
draw_sample(const TrainPlan *plan, TrainCorpus *corpus, mt_error *error)
{
  g_autoptr(TrainSample) sample =
      train_sample_new((gsize) plan->tokenizer_pairs, (guint64) plan->seed, PURPOSE);
  TrainPair pair;
  gboolean is_end = FALSE;
  if (!train_corpus_rewind(corpus, error))
    return NULL;
  for (;;) {
    if (!train_corpus_next(corpus, &pair, &is_end, error))
      return NULL;
    if (is_end)
      return g_steal_pointer(&sample);
    train_sample_offer(sample, pair.i, weight_of(plan, &pair));
  }
}

static gboolean
write_file(mt_new_dir *dir, const char *name, const void *bytes, gsize n, mt_error *error)
{
  mt_new_file *file = mt_new_file_open(dir, name, error);
  if (!file)
    return FALSE;
  mt_new_file_write(file, bytes, n);
  return mt_new_file_close(file, error);
}

static gboolean
write_vocab(mt_new_dir *dir, const char *name, const void *model, gsize n_model, mt_error *error)
{
  gsize n;
  char *text = mt_spm_vocabulary(model, n_model, spm_files[0], &n, error);
  gboolean ok = text && write_file(dir, name, text, n, error);
  mt_string_free(text);
  return ok;
}

/* Train one model from the sides that are wanted, and write it for each of them. */
static gboolean
train_sides(TrainTokenizer *t, Sentences *sentences, mt_error *error)
{
  const TrainPlan *plan = sentences->plan;
  g_autofree char *characters = g_strconcat(plan->characters ? plan->characters : "",
                                            plan->split_digits ? "0123456789" : "", NULL);
  const mt_spm_settings settings = {
      .vocab_size = (gsize) plan->vocab_size,
      .coverage = plan->coverage,
      .characters = characters,
      .segmentation = train_segmentations[plan->segmentation],
      .normalization = train_normalizations[plan->normalization],
  };
  unsigned char *model;
  gsize n;
  sentences->ok = TRUE;
  sentences->side = MT_N_STACKS;
  if (!train_corpus_rewind(sentences->corpus, error))
    return FALSE;
  gboolean trained = mt_spm_train(&settings, next_sentence, sentences, &model, &n, error);
  /* What went wrong with the sentences comes first: it is why the training failed, or ended early.
   */
  if (!sentences->ok) {
    if (trained)
      mt_spm_free_bytes(model);
    *error = *sentences->error;
    return FALSE;
  }
  if (!trained) {
    /* The library's advice, "set it to a value <= 6155", does not know the option's name. */
    gsize n_said = strlen(error->message);
    if (error->code == MT_ERROR_INPUT)
      g_snprintf(error->message + n_said, sizeof error->message - n_said,
                 " --vocab-size says how many.");
    return FALSE;
  }
  gboolean ok = TRUE;
  for (int s = 0; ok && s < MT_N_STACKS; s++)
    if (sentences->sides[s])
      ok = write_file(t->made, spm_files[s], model, n, error);
  if (ok)
    ok = write_vocab(t->made, vocab_files[!sentences->sides[0]], model, n, error);
  mt_spm_free_bytes(model);
  return ok;
}

static gboolean
train(TrainTokenizer *t, const TrainPlan *plan, TrainCorpus *corpus, const char *beside,
      TrainProgress *progress, mt_error *error)
{
  t->made = mt_new_dir_begin(beside, error);
  if (!t->made)
    return FALSE;
  g_autoptr(TrainSample) sample = draw_sample(plan, corpus, error);
  if (!sample || !train_progress_tell(progress, "Training a tokenizer", NULL, -1, error))
    return FALSE;
  t->folder = g_strdup(mt_new_dir_get_path(t->made));
  mt_error own = {0};
  g_autoptr(GString) apart = g_string_new(NULL);
  Sentences sentences = {
      .plan = plan,
      .corpus = corpus,
      .sample = sample,
      .progress = progress,
      .sides = {TRUE, !plan->separate},
      .apart = apart,
      .error = &own,
  };
  if (!train_sides(t, &sentences, error))
    return FALSE;
  sentences.sides[0] = FALSE;
  sentences.sides[1] = TRUE;
  return !plan->separate || train_sides(t, &sentences, error);
}

/* ---- The interface --------------------------------------------------------------------------- */

static TrainTokenizer *
open_ids(TrainTokenizer *t, mt_error *error)
{
  t->ids = mt_text_ids_open(t->folder, error);
  if (t->ids)
    return t;
  train_tokenizer_free(t);
  return NULL;
}

TrainTokenizer *
train_tokenizer_open(const char *folder, mt_error *error)
{
  TrainTokenizer *t = g_new0(TrainTokenizer, 1);
  t->folder = g_strdup(folder);
  return open_ids(t, error);
}

TrainTokenizer *
train_tokenizer_train(const TrainPlan *plan, TrainCorpus *corpus, const char *beside,
                      TrainProgress *progress, mt_error *error)
{
  TrainTokenizer *t = g_new0(TrainTokenizer, 1);
  if (train(t, plan, corpus, beside, progress, error))
    return open_ids(t, error);
  train_tokenizer_free(t);
  return NULL;
}

void
train_tokenizer_free(TrainTokenizer *t)
{
  if (!t)
    return;
  mt_text_ids_free(t->ids);
  mt_new_dir_free(t->made);
  g_free(t->folder);
  g_free(t);
}

const mt_text_ids *
train_tokenizer_get_ids(const TrainTokenizer *t)
{
  return t->ids;
}

static gboolean
copy_file(const TrainTokenizer *t, const char *name, mt_dataset_writer *writer, mt_error *error)
{
  g_autofree char *path = g_build_filename(t->folder, name, NULL);
  mt_bytes bytes;
  if (!mt_file_read_whole(path, MOST_BYTES, false, &bytes, error))
    return FALSE;
  const gboolean ok = mt_dataset_writer_add_file(writer, name, bytes.data, bytes.size, error);
  mt_bytes_clear(&bytes);
  return ok;
}

gboolean
train_tokenizer_write(const TrainTokenizer *t, mt_dataset_writer *writer, mt_error *error)
{
  for (int s = 0; s < MT_N_STACKS; s++)
    if (!copy_file(t, spm_files[s], writer, error) ||
        ((s == 0 || mt_text_ids_separate(t->ids)) && !copy_file(t, vocab_files[s], writer, error)))
      return FALSE;
  return TRUE;
}

/* ==== Pairs to ids, and which of them are kept for validation ================================= */

#define PURPOSE_HELDOUT 1 /* of train_draw */
#define PURPOSE_ORDER   3
#define PURPOSE_CUT     4 /* and those behind: by side and segmentation */

#define BATCH_PAIRS  ((gsize) 8192)
#define BATCH_TOKENS ((gsize) 1 << 22) /* room for ids, at most */

typedef enum { TO_TRAIN, TO_HOLD, TO_DROP } Fate;

/* A pair on its way. */
typedef struct {
  guint64 i;
  guint source;
  Fate fate;
  gsize texts[MT_N_STACKS]; /* places in the batch's text */
  gsize lengths[MT_N_STACKS];
  gsize n_segmentations;
} Item;

typedef struct {
  guint64 i;
  double order;
  int32_t *ids[MT_N_STACKS];
  gsize n_ids[MT_N_STACKS];
  char *texts[MT_N_STACKS];
} Heldout;

typedef struct {
  const TrainPlan *plan;
  const mt_text_ids *ids;
  TrainCounts *counts;
  TrainSample *sample; /* of what is drawn for validation */
  GHashTable *heldout; /* train_hash_loosely of its sentences */
  GPtrArray *held;     /* of Heldout */
  gsize max_tokens;
  /* The batch. */
  Item *items; /* [capacity] */
  gsize n, capacity;
  GString *text;
  gsize max_segmentations;
  int32_t *out; /* [capacity][MT_N_STACKS][max_segmentations][max_tokens] */
  gsize *n_ids; /* [capacity][MT_N_STACKS][max_segmentations], may be more than max_tokens */
} Encoder;

static const TrainSource *
source_of(const TrainPlan *plan, guint source)
{
  return g_ptr_array_index(plan->sources, source);
}

/* ---- What is held out ------------------------------------------------------------------------ */

static gboolean
is_held_out(const Encoder *e, guint64 i, guint source)
{
  const TrainSource *s = source_of(e->plan, source);
  return s->heldout || train_sample_has(e->sample, i, s->weight);
}

static void
add_sentence(GHashTable *set, const char *text, gsize n)
{
  guint64 hash = train_hash_loosely(text, n);
  if (hash)
    g_hash_table_add(set, GSIZE_TO_POINTER(hash));
}

/* Twice through the corpus: to draw, and to know the sentences of what was drawn. */
static gboolean
choose_heldout(Encoder *e, TrainCorpus *corpus, TrainProgress *progress, mt_error *error)
{
  for (int turn = 0; turn < 2; turn++) {
    gboolean is_end = FALSE;
    if (!train_corpus_rewind(corpus, error) ||
        !train_progress_tell(progress, "Choosing held-out pairs", NULL, -1, error))
      return FALSE;
    for (;;) {
      TrainPair pair;
      if (!train_corpus_next(corpus, &pair, &is_end, error))
        return FALSE;
      if (is_end)
        break;
      const TrainSource *source = source_of(e->plan, pair.source);
      if (turn == 0 && !source->heldout)
        train_sample_offer(e->sample, pair.i, source->weight);
      if (turn == 1 && is_held_out(e, pair.i, pair.source))
        for (int s = 0; s < MT_N_STACKS; s++)
          add_sentence(e->heldout, pair.texts[s], pair.lengths[s]);
    }
  }
  return TRUE;
}

static Fate
decide(const Encoder *e, const TrainPair *pair)
{
  if (is_held_out(e, pair->i, pair->source))
    return TO_HOLD;
  for (int s = 0; s < MT_N_STACKS; s++) {
    guint64 hash = train_hash_loosely(pair->texts[s], pair->lengths[s]);
    if (hash && g_hash_table_contains(e->heldout, GSIZE_TO_POINTER(hash)))
      return TO_DROP;
  }
  return TO_TRAIN;
}

/* ---- A batch --------------------------------------------------------------------------------- */

/* The most probable segmentation is number 0. */
static gsize
place_of(const Encoder *e, gsize item, int side, gsize segmentation)
{
  return (item * MT_N_STACKS + (gsize) side) * e->max_segmentations + segmentation;
}

static int32_t *
ids_of(const Encoder *e, gsize item, int side, gsize segmentation)
{
  return e->out + place_of(e, item, side, segmentation) * e->max_tokens;
}

static gsize *
n_ids_of(const Encoder *e, gsize item, int side, gsize segmentation)
{
  return e->n_ids + place_of(e, item, side, segmentation);
}

static gboolean
fill_batch(Encoder *e, TrainCorpus *corpus, gboolean *is_end, mt_error *error)
{
  e->n = 0;
  g_string_truncate(e->text, 0);
  while (e->n < e->capacity) {
    TrainPair pair;
    if (!train_corpus_next(corpus, &pair, is_end, error))
      return FALSE;
    if (*is_end)
      return TRUE;
    Item *item = &e->items[e->n++];
    *item = (Item){.i = pair.i, .source = pair.source, .fate = decide(e, &pair)};
    item->n_segmentations =
        item->fate == TO_TRAIN
            ? train_plan_count_segmentations(e->plan, source_of(e->plan, pair.source))
            : 1;
    for (int s = 0; s < MT_N_STACKS; s++) {
      item->texts[s] = e->text->len;
      item->lengths[s] = pair.lengths[s];
      g_string_append_len(e->text, pair.texts[s], (gssize) pair.lengths[s] + 1);
    }
  }
  return TRUE;
}

/* Some of a batch, for one thread. */
typedef struct {
  Encoder *encoder;
  gsize first, end;
  gboolean ok;
  mt_error error;
} Slice;

/* The most probable segmentation of one side, then the others. */
static gboolean
encode_side(const Encoder *e, gsize i, int side, mt_error *error)
{
  const Item *item = &e->items[i];
  const char *text = e->text->str + item->texts[side];
  gsize n = item->lengths[side], n_drawn = item->n_segmentations - 1;
  if (!mt_text_ids_encode(e->ids, (mt_stack) side, text, n, ids_of(e, i, side, 0), e->max_tokens,
                          n_ids_of(e, i, side, 0), error))
    return FALSE;
  /* A pair that will be dropped (write_item) needs no others. */
  if (n_drawn == 0 || !train_plan_segments(e->plan, (mt_stack) side) ||
      *n_ids_of(e, i, side, 0) < 2 || *n_ids_of(e, i, side, 0) > e->max_tokens)
    return TRUE;
  double chosen[MT_DATASET_MAX_SEGMENTATIONS];
  for (gsize k = 0; k < n_drawn; k++)
    chosen[k] = 1 - train_draw((guint64) e->plan->seed,
                               PURPOSE_CUT + k * MT_N_STACKS + (guint64) side, item->i);
  const mt_spm_draws draws = {
      .nbest_size = (gsize) e->plan->nbest_size,
      .alpha = e->plan->alpha,
      .chosen = chosen,
      .n = n_drawn,
  };
  return mt_text_ids_draw(e->ids, (mt_stack) side, text, n, &draws, ids_of(e, i, side, 1),
                          e->max_tokens, n_ids_of(e, i, side, 1), error);
}

static gpointer
encode_slice(gpointer data)
{
  Slice *slice = data;
  const Encoder *e = slice->encoder;
  slice->ok = TRUE;
  for (gsize i = slice->first; slice->ok && i < slice->end; i++) {
    for (int s = 0; slice->ok && s < MT_N_STACKS && e->items[i].fate != TO_DROP; s++)
      slice->ok = encode_side(e, i, s, &slice->error);
  }
  return NULL;
}

static gboolean
encode_batch(Encoder *e, guint n_threads, mt_error *error)
{
  g_autofree Slice *slices = g_new0(Slice, n_threads);
  g_autofree GThread **threads = g_new0(GThread *, n_threads);
  for (guint t = 0; t < n_threads; t++) {
    slices[t] = (Slice){
        .encoder = e,
        .first = e->n * t / n_threads,
        .end = e->n * (t + 1) / n_threads,
    };
    /* The first one is this thread's; where there is no thread to be had, so are the others. */
    threads[t] = t > 0 ? g_thread_try_new("encode", encode_slice, &slices[t], NULL) : NULL;
  }
  for (guint t = 0; t < n_threads; t++)
    if (!threads[t])
      encode_slice(&slices[t]);
  gboolean ok = TRUE;
  for (guint t = 0; t < n_threads; t++) {
    if (threads[t])
      g_thread_join(threads[t]);
    if (ok && !slices[t].ok)
      *error = slices[t].error;
    ok = ok && slices[t].ok;
  }
  return ok;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void
heldout_free(Heldout *h)
{
  for (int s = 0; s < MT_N_STACKS; s++) {
    g_free(h->ids[s]);
    g_free(h->texts[s]);
  }
  g_free(h);
}

static void
hold(Encoder *e, gsize i)
{
  const Item *item = &e->items[i];
  Heldout *h = g_new0(Heldout, 1);
  h->i = item->i;
  h->order = train_draw((guint64) e->plan->seed, PURPOSE_ORDER, item->i);
  for (int s = 0; s < MT_N_STACKS; s++) {
    h->n_ids[s] = *n_ids_of(e, i, s, 0);
    h->ids[s] = g_memdup2(ids_of(e, i, s, 0), h->n_ids[s] * sizeof(int32_t));
    h->texts[s] = g_strdup(e->text->str + item->texts[s]);
  }
  g_ptr_array_add(e->held, h);
}

/* One segmentation; one that became too long gives way to the most probable. */
static gboolean
write_pair(const Encoder *e, gsize i, gsize segmentation, mt_dataset_writer *writer,
           TrainCounts *counts, mt_error *error)
{
  const int32_t *ids[MT_N_STACKS];
  gsize n[MT_N_STACKS];
  for (int s = 0; s < MT_N_STACKS; s++) {
    gsize k = train_plan_segments(e->plan, (mt_stack) s) ? segmentation : 0;
    if (*n_ids_of(e, i, s, k) > e->max_tokens)
      k = 0;
    ids[s] = ids_of(e, i, s, k);
    n[s] = *n_ids_of(e, i, s, k);
    counts->n_tokens[s] += n[s];
    for (gsize t = 0; t < n[s]; t++)
      counts->n_unknown[s] += ids[s][t] == mt_text_ids_unk(e->ids);
  }
  return mt_dataset_writer_add_pair(writer, ids[0], n[0], ids[1], n[1], error);
}

static gboolean
write_item(Encoder *e, gsize i, mt_dataset_writer *writer, mt_error *error)
{
  const Item *item = &e->items[i];
  TrainCounts *counts = &e->counts[item->source];
  TrainDrop drop = item->fate == TO_DROP ? TRAIN_DROP_HELDOUT : TRAIN_KEPT;
  /* A side of nothing but </s>: text that the tokenizer removes as a whole. */
  for (int s = 0; s < MT_N_STACKS && !drop; s++)
    if (*n_ids_of(e, i, s, 0) < 2 || *n_ids_of(e, i, s, 0) > e->max_tokens)
      drop = TRAIN_DROP_TOKENS;
  if (drop || item->fate == TO_HOLD) {
    counts->dropped[TRAIN_KEPT]--;
    if (drop)
      counts->dropped[drop]++;
    else
      counts->n_heldout++;
  }
  if (drop)
    return TRUE;
  if (item->fate == TO_HOLD) {
    hold(e, i);
    return TRUE;
  }
  for (gsize k = 0; k < item->n_segmentations; k++)
    if (!write_pair(e, i, k, writer, counts, error))
      return FALSE;
  return TRUE;
}

static gint
compare_heldout(gconstpointer a, gconstpointer b)
{
  const Heldout *x = *(Heldout *const *) a, *y = *(Heldout *const *) b;
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

static gboolean
write_heldout(Encoder *e, mt_dataset_writer *writer, mt_error *error)
{
  g_ptr_array_sort(e->held, compare_heldout);
  for (guint i = 0; i < e->held->len; i++) {
    const Heldout *h = g_ptr_array_index(e->held, i);
    if (!mt_dataset_writer_add_heldout(writer, h->ids[0], h->n_ids[0], h->texts[0], h->ids[1],
                                       h->n_ids[1], h->texts[1], error))
      return FALSE;
  }
  return TRUE;
}

/* Sources come in the order of the plan; those that are held out as a whole are not trained on. */
static gboolean
begin_sources(const Encoder *e, mt_dataset_writer *writer, guint *next, guint until,
              mt_error *error)
{
  for (; *next < until; ++*next) {
    const TrainSource *source = source_of(e->plan, *next);
    const mt_dataset_source described = {
        .name = source->name,
        .licence = source->licence,
        .note = source->note,
        .weight = source->weight,
        .segmentations = train_plan_count_segmentations(e->plan, source),
    };
    if (!source->heldout && !mt_dataset_writer_begin_source(writer, &described, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
encode_all(Encoder *e, TrainCorpus *corpus, mt_dataset_writer *writer, guint n_threads,
           TrainProgress *progress, mt_error *error)
{
  gboolean is_end = FALSE;
  guint next_source = 0;
  guint64 n_done = 0, n = train_corpus_count(corpus);
  while (!is_end) {
    if (!train_progress_tell(progress, "Encoding", NULL, n ? (double) n_done / (double) n : 1,
                             error) ||
        !fill_batch(e, corpus, &is_end, error) || !encode_batch(e, n_threads, error))
      return FALSE;
    for (gsize i = 0; i < e->n; i++)
      if (!begin_sources(e, writer, &next_source, e->items[i].source + 1, error) ||
          !write_item(e, i, writer, error))
        return FALSE;
    n_done += e->n;
  }
  return begin_sources(e, writer, &next_source, e->plan->sources->len, error) &&
         write_heldout(e, writer, error);
}

gboolean
train_encode(const TrainPlan *plan, TrainCorpus *corpus, const mt_text_ids *ids,
             mt_dataset_writer *writer, TrainCounts *counts, guint n_threads,
             TrainProgress *progress, mt_error *error)
{
  Encoder e = {
      .plan = plan,
      .ids = ids,
      .counts = counts,
      .sample = train_sample_new((gsize) plan->n_heldout, (guint64) plan->seed, PURPOSE_HELDOUT),
      .heldout = g_hash_table_new(NULL, NULL),
      .held = g_ptr_array_new_with_free_func((GDestroyNotify) heldout_free),
      .max_tokens = (gsize) plan->max_tokens,
      .max_segmentations = train_plan_most_segmentations(plan),
      .text = g_string_new(NULL),
  };
  gsize n_sides = MT_N_STACKS * e.max_segmentations;
  e.capacity = CLAMP(BATCH_TOKENS / n_sides / e.max_tokens, 16, BATCH_PAIRS);
  e.items = g_new(Item, e.capacity);
  e.out = g_new(int32_t, e.capacity * n_sides * e.max_tokens);
  e.n_ids = g_new(gsize, e.capacity * n_sides);
  gboolean ok = choose_heldout(&e, corpus, progress, error) && train_corpus_rewind(corpus, error) &&
                encode_all(&e, corpus, writer, MAX(n_threads, 1), progress, error);
  g_free(e.out);
  g_free(e.n_ids);
  g_free(e.items);
  g_string_free(e.text, TRUE);
  g_ptr_array_unref(e.held);
  g_hash_table_unref(e.heldout);
  train_sample_free(e.sample);
  return ok;
}
