/* train-tokenizer.c — the tokenizer that text is prepared with: one that is there, or a new one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-tokenizer.h"

#include "train/train-sample.h"

#include <stdio.h>
#include <string.h>

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
