/* test-dataset.c — prepared folders: what is written is read, and what is damaged is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/few-allocations.h"
#include "engine-test.h"
#include "small-dataset.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char *folder; /* of this test */

static char *
place(void)
{
  return g_build_filename(folder, "prepared", NULL);
}

/* Refused with this code, in a sentence with all of these words, separated by |. */
static void
open_bad(const char *path, mt_error_code code, const char *words)
{
  mt_error error = {0};
  g_assert_null(mt_dataset_open(path, &error));
  g_auto(GStrv) list = g_strsplit(words, "|", -1);
  for (guint i = 0; list[i]; i++)
    if (!strstr(error.message, list[i]))
      g_error("expected \"%s\" in \"%s\"", list[i], error.message);
  g_assert_cmpint(error.code, ==, code);
}

static void
check_part(const mt_dataset *d, mt_dataset_part part, gsize n_pairs)
{
  g_assert_cmpuint(mt_dataset_count(d, part), ==, n_pairs);
  for (int s = 0; s < MT_N_STACKS; s++) {
    gsize n_tokens = 0;
    for (gsize i = 0; i < n_pairs; i++) {
      int32_t ids[SMALL_MAX_TOKENS];
      mt_error error = {0};
      gsize n = mt_dataset_length(d, part, (mt_stack) s, i);
      g_assert_cmpuint(n, ==, small_length(part, (mt_stack) s, i));
      g_assert_true(mt_dataset_copy(d, part, (mt_stack) s, i, ids, n, &error));
      for (gsize k = 0; k < n; k++)
        g_assert_cmpint(ids[k], ==, small_id(part, (mt_stack) s, i, k));
      n_tokens += n;
    }
    g_assert_cmpuint(mt_dataset_count_tokens(d, part, (mt_stack) s), ==, n_tokens);
  }
}

static void
test_round_trip(void)
{
  g_autofree char *path = place();
  small_write(path, 20, 3);
  mt_dataset *d = small_open(path);
  const mt_dataset_info *info = mt_dataset_get_info(d);
  g_assert_cmpstr(info->languages[0], ==, "en");
  g_assert_cmpstr(info->languages[1], ==, "de");
  g_assert_cmpuint(info->vocab_size[1], ==, SMALL_VOCAB);
  g_assert_false(info->separate_vocabs);
  g_assert_cmpint(info->pad_id, ==, SMALL_PAD);
  g_assert_cmpint(info->eos_id, ==, 0);
  g_assert_cmpint(info->unk_id, ==, 1);
  g_assert_cmpuint(info->max_tokens, ==, SMALL_MAX_TOKENS);
  g_assert_cmpuint(info->seed, ==, 7);
  check_part(d, MT_DATASET_TRAIN, 60);
  check_part(d, MT_DATASET_HELDOUT, 3);
  g_assert_cmpuint(mt_dataset_count_sources(d), ==, 2);
  const mt_dataset_source *second = mt_dataset_get_source(d, 1);
  g_assert_cmpstr(second->name, ==, "zweite");
  g_assert_cmpstr(mt_dataset_get_source(d, 0)->licence, ==, "CC0");
  g_assert_cmpfloat(second->weight, ==, 0.25);
  g_assert_cmpuint(second->first_pair, ==, 20);
  g_assert_cmpuint(second->n_pairs, ==, 40);
  g_assert_cmpuint(second->n_tokens[1] + mt_dataset_get_source(d, 0)->n_tokens[1], ==,
                   mt_dataset_count_tokens(d, MT_DATASET_TRAIN, MT_STACK_DECODER));
  gsize n;
  const char *text = mt_dataset_get_text(d, MT_STACK_DECODER, 2, &n);
  g_assert_cmpmem(text, n, "Zeile – 2", strlen("Zeile – 2"));
  text = mt_dataset_get_text(d, MT_STACK_ENCODER, 0, &n);
  g_assert_cmpmem(text, n, "line 0", strlen("line 0"));
  mt_error error = {0};
  g_assert_true(mt_dataset_check(d, &error));

  /* The same pairs give the same bytes, others do not. */
  uint32_t checksum = mt_dataset_get_checksum(d);
  mt_dataset_free(d);
  g_autofree char *again = g_build_filename(folder, "again", NULL);
  small_write(again, 20, 3);
  d = small_open(again);
  g_assert_cmpuint(mt_dataset_get_checksum(d), ==, checksum);
  mt_dataset_free(d);
  g_autofree char *other = g_build_filename(folder, "other", NULL);
  small_write(other, 19, 0);
  d = small_open(other);
  g_assert_cmpuint(mt_dataset_get_checksum(d), !=, checksum);
  check_part(d, MT_DATASET_HELDOUT, 0);
  mt_dataset_free(d);
}

static void
test_tokenizer_is_copied(void)
{
  g_autofree char *path = place();
  small_write(path, 1, 1);
  g_autoptr(mt_dataset) d = small_open(path);
  g_autofree char *copies = g_build_filename(folder, "copies", NULL);
  g_mkdir(copies, 0777);
  mt_error error = {0};
  g_assert_true(mt_dataset_copy_tokenizer(d, copies, &error));
  for (guint i = 0; i < 3; i++) {
    const char *names[] = {"source.spm", "target.spm", "vocab.json"};
    small_assert_same_file(path, copies, names[i]);
  }
  g_autofree char *nowhere = g_build_filename(folder, "nowhere", NULL);
  g_assert_false(mt_dataset_copy_tokenizer(d, nowhere, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
}

/* Wide ids: a vocabulary of more than 65,536 pieces. */
static void
test_wide_ids(void)
{
  g_autofree char *path = place();
  mt_dataset_info info = small_info;
  info.vocab_size[0] = info.vocab_size[1] = 70000;
  info.pad_id = 69999;
  mt_error error = {0};
  g_autoptr(mt_dataset_writer) w = mt_dataset_writer_new(path, false, &info, &error);
  const mt_dataset_source source = {.name = "wide", .weight = 1};
  const int32_t ids[] = {65536, 69998, 0};
  g_assert_true(mt_dataset_writer_begin_source(w, &source, &error));
  g_assert_true(mt_dataset_writer_add_pair(w, ids, 3, ids + 1, 2, &error));
  g_autoptr(GString) vocab = g_string_new("{\"</s>\": 0, \"<unk>\": 1, \"<pad>\": 69999");
  for (int i = 2; i < 69999; i++)
    g_string_append_printf(vocab, ", \"p%d\": %d", i, i);
  g_string_append(vocab, "}");
  g_autofree char *spm = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(REGARD_SOURCE_ROOT
                                    "/tests/data/checkpoints/post-norm-relu/source.spm",
                                    &spm, &n, NULL));
  g_assert_true(mt_dataset_writer_add_file(w, "source.spm", spm, n, &error));
  g_assert_true(mt_dataset_writer_add_file(w, "target.spm", spm, n, &error));
  g_assert_true(mt_dataset_writer_add_file(w, "vocab.json", vocab->str, vocab->len, &error));
  g_assert_true(mt_dataset_writer_finish(w, NULL, &error));
  g_autoptr(mt_dataset) d = small_open(path);
  int32_t out[3];
  g_assert_true(mt_dataset_copy(d, MT_DATASET_TRAIN, MT_STACK_ENCODER, 0, out, 3, &error));
  g_assert_cmpmem(out, sizeof out, ids, sizeof ids);
}

/* ---- What a writer refuses ------------------------------------------------------------------- */

static void
test_refused_pairs(void)
{
  g_autofree char *path = place();
  mt_error error = {0};
  g_autoptr(mt_dataset_writer) w = mt_dataset_writer_new(path, false, &small_info, &error);
  const mt_dataset_source source = {.name = "s", .weight = 1};
  const mt_dataset_source weightless = {.name = "s", .weight = 0};
  const int32_t good[] = {5, 6, 0};
  g_assert_false(mt_dataset_writer_add_pair(w, good, 3, good, 3, &error)); /* of no source */
  g_assert_false(mt_dataset_writer_begin_source(w, &weightless, &error));
  g_assert_true(mt_dataset_writer_begin_source(w, &source, &error));
  const int32_t bad[][3] = {
      {SMALL_VOCAB, 5, 0}, {-1, 5, 0}, {SMALL_PAD, 5, 0}, {0, 5, 0}, {5, 6, 7},
  };
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    error = (mt_error){0};
    g_assert_false(mt_dataset_writer_add_pair(w, good, 3, bad[i], 3, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
    g_assert_false(mt_dataset_writer_add_pair(w, bad[i], 3, good, 3, &error));
  }
  int32_t endless[SMALL_MAX_TOKENS + 1] = {0};
  for (guint i = 0; i < SMALL_MAX_TOKENS; i++)
    endless[i] = 5;
  g_assert_false(mt_dataset_writer_add_pair(w, endless, SMALL_MAX_TOKENS + 1, good, 3, &error));
  g_assert_false(mt_dataset_writer_add_pair(w, good + 2, 1, good, 3, &error)); /* only </s> */
  g_assert_false(mt_dataset_writer_add_heldout(w, good, 3, "two\nlines", good, 3, "one", &error));
  g_assert_false(mt_dataset_writer_add_heldout(w, good, 3, "one", good, 3, "\xff", &error));
  g_assert_true(mt_dataset_writer_add_pair(w, good, 3, good, 3, &error));
  g_assert_false(mt_dataset_writer_add_file(w, "config.json", "{}", 2, &error));
  g_assert_false(mt_dataset_writer_finish(w, NULL, &error)); /* no tokenizer */
  small_add_tokenizer(w);
  g_assert_true(mt_dataset_writer_finish(w, NULL, &error));
  g_autoptr(mt_dataset) d = small_open(path);
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_TRAIN), ==, 1);
}

static void
test_refused_infos(void)
{
  g_autofree char *path = place();
  for (guint i = 0; i < 6; i++) {
    mt_dataset_info info = small_info;
    switch (i) {
    case 0:
      info.vocab_size[1] = 100;
      break;
    case 1:
      info.pad_id = 125;
      break;
    case 2:
      info.eos_id = 1;
      break;
    case 3:
      info.max_tokens = 1;
      break;
    case 4:
      info.unk_id = -1;
      break;
    default:
      info.vocab_size[0] = info.vocab_size[1] = 3;
    }
    mt_error error = {0};
    g_assert_null(mt_dataset_writer_new(path, false, &info, &error));
    g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  }
  g_assert_cmpuint(small_count(folder), ==, 0);
}

/* ---- Its place ------------------------------------------------------------------------------- */

static void
test_given_up(void)
{
  g_autofree char *path = place();
  mt_error error = {0};
  mt_dataset_writer *w = mt_dataset_writer_new(path, false, &small_info, &error);
  g_assert_nonnull(w);
  g_assert_cmpuint(small_count(folder), ==, 1); /* hidden */
  mt_dataset_writer_free(w);
  g_assert_cmpuint(small_count(folder), ==, 0);
  g_autofree char *deep = g_build_filename(folder, "no", "such", NULL);
  g_assert_null(mt_dataset_writer_new(deep, false, &small_info, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
}

static void
test_replaced(void)
{
  g_autofree char *path = place();
  small_write(path, 2, 1);
  const mt_dataset_source source = {.name = "new", .weight = 1};
  const int32_t ids[] = {5, 6, 0};
  for (int replace = 0; replace < 2; replace++) {
    mt_error error = {0};
    mt_dataset_writer *w = mt_dataset_writer_new(path, replace, &small_info, &error);
    g_assert_true(mt_dataset_writer_begin_source(w, &source, &error));
    g_assert_true(mt_dataset_writer_add_pair(w, ids, 3, ids, 3, &error));
    small_add_tokenizer(w);
    g_assert_cmpint(mt_dataset_writer_finish(w, NULL, &error), ==, replace);
    if (!replace)
      g_assert_nonnull(strstr(error.message, "exists"));
    mt_dataset_writer_free(w);
    g_autoptr(mt_dataset) d = small_open(path);
    g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_TRAIN), ==, replace ? 1 : 6);
    g_assert_cmpuint(small_count(folder), ==, 1);
  }
}

/* A disk that is full: a limit on the size of files stands for it. */
static void
test_full_disk(void)
{
  g_autofree char *path = place();
  mt_error error = {0};
  mt_dataset_writer *w = mt_dataset_writer_new(path, false, &small_info, &error);
  const mt_dataset_source source = {.name = "much", .weight = 1};
  g_assert_true(mt_dataset_writer_begin_source(w, &source, &error));
  struct rlimit before;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit little = before;
  little.rlim_cur = 100000;
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
  const int32_t ids[] = {5, 6, 7, 0};
  gsize n = 0;
  while (n < 1000000 && mt_dataset_writer_add_pair(w, ids, 4, ids, 4, &error))
    n++;
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
  g_assert_cmpuint(n, <, 30000); /* noticed on the way, not at the end only */
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_assert_nonnull(strstr(error.message, "prepared/train."));
  mt_dataset_writer_free(w);
  g_assert_cmpuint(small_count(folder), ==, 0);
}

/* ---- What a reader refuses ------------------------------------------------------------------- */

static void
test_missing(void)
{
  g_autofree char *path = place();
  open_bad(path, MT_ERROR_IO, "prepared: expected a folder of prepared text, found nothing there.");
  g_mkdir(path, 0777);
  open_bad(path, MT_ERROR_IO, "prepared/manifest.json|found nothing");
  g_rmdir(path);
  small_write(path, 2, 1);
  g_autofree char *file = g_build_filename(path, "train.target.npy", NULL);
  g_unlink(file);
  open_bad(path, MT_ERROR_IO, "prepared/train.target.npy|found nothing");
}

static void
test_manifests(void)
{
  static const struct {
    const char *old, *new;
    mt_error_code code;
    const char *words;
  } cases[] = {
      {"\"format\": 1", "\"format\": 2", MT_ERROR_UNSUPPORTED, "manifest.json|format 1|found 2"},
      {"\"format\"", "\"formats\"", MT_ERROR_FORMAT, "format|found none"},
      {"\"pad_id\": 124", "\"pad_id\": 125", MT_ERROR_FORMAT, "pad_id|124|125"},
      {"\"pad_id\": 124", "\"pad_id\": 123", MT_ERROR_FORMAT, "vocab.json|<pad>|123"},
      {"\"eos_id\": 0", "\"eos_id\": 1", MT_ERROR_FORMAT, "special ids"},
      {"\"eos_id\": 0", "\"eos_id\": -1", MT_ERROR_FORMAT, "eos_id|the number -1"},
      {"\"eos_id\": 0", "\"eos_id\": 2", MT_ERROR_FORMAT, "train.source.npy|</s> at the end"},
      {"\"source_vocab_size\": 125", "\"source_vocab_size\": 126", MT_ERROR_FORMAT, "shared"},
      {"\"source_vocab_size\": 125", "\"source_vocab_size\": 1e30", MT_ERROR_FORMAT, "1e+30"},
      {"\"max_tokens\": 12", "\"max_tokens\": 8", MT_ERROR_FORMAT, "train.source-offsets.npy|8"},
      {"\"max_tokens\": 12", "\"max_tokens\": 1000000000000", MT_ERROR_FORMAT, "max_tokens"},
      {"\"pairs\": 6", "\"pairs\": 7", MT_ERROR_FORMAT, "sources to have 7 pairs"},
      {"\"pairs\": 6", "\"pairs\": 9007199254740992", MT_ERROR_FORMAT, "sources|9007199254740992"},
      {"\"pairs\": 2", "\"pairs\": 200", MT_ERROR_FORMAT, "sources to have 6 pairs"},
      {"\"weight\": 2", "\"weight\": 0", MT_ERROR_FORMAT, "weight|first"},
      {"\"weight\": 2", "\"weight\": \"much\"", MT_ERROR_FORMAT, "weight|first"},
      {"\"name\": \"first\"", "\"name\": 1", MT_ERROR_FORMAT, "name of a source"},
      {"\"sources\": [", "\"source\": [", MT_ERROR_FORMAT, "sources to be a list"},
      {"\"files\": [", "\"file\": [", MT_ERROR_FORMAT, "train.source.npy among the files"},
      {"\"separate_vocabs\": false", "\"separate_vocabs\": true", MT_ERROR_FORMAT,
       "target_vocab.json among the files"},
      {"\"separate_vocabs\": false", "\"separate_vocabs\": 3", MT_ERROR_FORMAT, "true or false"},
      {"\"seed\": \"7\"", "\"seed\": 7", MT_ERROR_FORMAT, "seed"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("%s/manifest-%u", folder, i);
    small_write(path, 2, 1);
    small_edit_manifest(path, cases[i].old, cases[i].new);
    open_bad(path, cases[i].code, cases[i].words);
  }
}

/* A .npy of these elements. */
static GByteArray *
make_npy(const char *descr, const char *shape, const void *data, gsize n)
{
  g_autofree char *header =
      g_strdup_printf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
  guint8 head[10] = "\x93NUMPY\x01\x00";
  head[8] = (guint8) strlen(header);
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_append(bytes, head, sizeof head);
  g_byte_array_append(bytes, (const guint8 *) header, (guint) strlen(header));
  g_byte_array_append(bytes, data, (guint) n);
  return bytes;
}

/* Files that agree with their check sums, and yet are wrong. */
static void
test_arrays(void)
{
  /* One pair in all: the first sentences have 2 and 5 tokens. */
  const guint16 ids[] = {1, 0}, big[] = {125, 0}, pad[] = {124, 0}, early[] = {0, 0},
                open[] = {5, 6};
  const gint16 negative[] = {1, 0};
  const guint64 offsets[] = {0, 2}, late[] = {1, 2}, far[] = {0, 3}, back[] = {0, G_MAXUINT64},
                short_[] = {0, 1};
  const struct {
    const char *name, *descr, *shape;
    const void *data;
    gsize n;
    const char *words;
  } cases[] = {
      {"train.source.npy", "<u2", "(2,)", ids, 4, NULL},
      {"train.source.npy", "<u2", "(1, 2)", ids, 4, "2 unsigned|(1,2)"},
      {"train.source.npy", "<i2", "(2,)", negative, 4, "unsigned|<i2"},
      {"train.source.npy", "<u2", "(2,)", big, 4, "below 125|found 125 at place 0 of sentence 0"},
      {"train.source.npy", "<u2", "(2,)", pad, 4, "found 124"},
      {"train.source.npy", "<u2", "(2,)", early, 4, "</s> at the end|found 0 at place 0"},
      {"train.source.npy", "<u2", "(2,)", open, 4, "</s> at the end|found 6 at place 1"},
      {"train.source.npy", "<u2", "(1,)", ids, 2, "2 unsigned|(1,)"},
      {"train.source.npy", "<u2", "(3,)", ids, 4, "6 bytes|(3,)|found 4"},
      {"train.source.npy", "|u1", "(2,)", ids, 2, "2 or 4 bytes"},
      {"train.source-offsets.npy", "<u8", "(2,)", offsets, 16, NULL},
      {"train.source-offsets.npy", "<u8", "(2,)", late, 16, "first offset to be 0, found 1"},
      {"train.source-offsets.npy", "<u8", "(2,)", far, 16, "2 tokens, found 0 to 3"},
      {"train.source-offsets.npy", "<u8", "(2,)", back, 16, "found 0 to 18446744073709551615"},
      {"train.source-offsets.npy", "<u8", "(2,)", short_, 16, "found 0 to 1"},
      {"train.source-offsets.npy", "<u4", "(2,)", offsets, 8, "offsets of 8, found 2 and 4"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("%s/array-%u", folder, i);
    mt_error error = {0};
    g_autoptr(mt_dataset_writer) w = mt_dataset_writer_new(path, false, &small_info, &error);
    const mt_dataset_source source = {.name = "one", .weight = 1};
    const int32_t pair[] = {1, 0};
    g_assert_true(mt_dataset_writer_begin_source(w, &source, &error));
    g_assert_true(mt_dataset_writer_add_pair(w, pair, 2, pair, 2, &error));
    small_add_tokenizer(w);
    g_assert_true(mt_dataset_writer_finish(w, NULL, &error));
    g_autoptr(GByteArray) npy = make_npy(cases[i].descr, cases[i].shape, cases[i].data, cases[i].n);
    small_replace(path, cases[i].name, npy->data, npy->len);
    if (cases[i].words)
      open_bad(path, MT_ERROR_FORMAT, cases[i].words);
    else
      mt_dataset_free(small_open(path));
  }
}

static void
test_texts(void)
{
  static const struct {
    const char *name, *text, *words;
  } cases[] = {
      {"heldout.source.txt", "one\n", "2 lines"},
      {"heldout.source.txt", "one\ntwo\nthree\n", "2 lines"},
      {"heldout.source.txt", "one\ntwo", "2 lines"},
      {"heldout.target.txt", "one\n\xc3\n", "heldout.target.txt|UTF-8|at 4"},
      {"vocab.json", "{\"</s>\": 0, \"<unk>\": 1, \"<pad>\": 124}", "vocab.json|125 pieces"},
      {"vocab.json", "[]", "vocab.json"},
      {"target.spm", "not a model", "target.spm"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("%s/text-%u", folder, i);
    small_write(path, 2, 2);
    small_replace(path, cases[i].name, cases[i].text, strlen(cases[i].text));
    open_bad(path, MT_ERROR_FORMAT, cases[i].words);
  }
}

/* Any byte of any file that changes is noticed, and a file that is cut off too. */
static void
test_damage(void)
{
  g_autofree char *path = place();
  small_write(path, 2, 1);
  static const char *const files[] = {"train.source.npy", "train.target-offsets.npy",
                                      "heldout.target.npy", "heldout.source.txt", "source.spm"};
  for (guint f = 0; f < G_N_ELEMENTS(files); f++) {
    g_autofree char *file = g_build_filename(path, files[f], NULL);
    g_autofree char *bytes = NULL;
    gsize n;
    g_assert_true(g_file_get_contents(file, &bytes, &n, NULL));
    for (guint i = 0; i < 16; i++) {
      gsize at = i * (n - 1) / 15;
      bytes[at] ^= 1;
      g_assert_true(g_file_set_contents(file, bytes, (gssize) n, NULL));
      open_bad(path, MT_ERROR_FORMAT, "check sum|damaged");
      bytes[at] ^= 1;
    }
    g_assert_true(g_file_set_contents(file, bytes, (gssize) n - 1, NULL));
    open_bad(path, MT_ERROR_FORMAT, "cut off");
    g_assert_true(g_file_set_contents(file, bytes, (gssize) n, NULL));
  }
  mt_dataset_free(small_open(path));
}

/* A mapped file that is cut off while it is in use: an error, not the end of the program. */
static void
test_cut_in_use(void)
{
  g_autofree char *path = place();
  small_write(path, 4000, 1); /* some pages */
  g_autoptr(mt_dataset) d = small_open(path);
  g_autofree char *file = g_build_filename(path, "train.source.npy", NULL);
  g_assert_cmpint(truncate(file, 4096), ==, 0);
  mt_error error = {0};
  int32_t ids[SMALL_MAX_TOKENS];
  gsize last = mt_dataset_count(d, MT_DATASET_TRAIN) - 1;
  gsize n = mt_dataset_length(d, MT_DATASET_TRAIN, MT_STACK_ENCODER, last);
  mt_dataset_copy(d, MT_DATASET_TRAIN, MT_STACK_ENCODER, last, ids, n, &error);
  g_assert_false(mt_dataset_check(d, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
  g_assert_nonnull(strstr(error.message, "prepared/train.source.npy"));
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Every allocation fails in turn. */
static void
test_no_memory(void)
{
  g_autofree char *path = place();
  small_write(path, 2, 1);
  gboolean opened = FALSE;
  for (int n = 0; !opened; n++) {
    mt_error error = {0};
    few_then_all_fail(n);
    g_autoptr(mt_dataset) d = mt_dataset_open(path, &error);
    few_end();
    opened = d != NULL;
    if (!opened)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
  }
  g_autofree char *other = g_build_filename(folder, "other", NULL);
  gboolean written = FALSE;
  for (int n = 0; !written; n++) {
    mt_error error = {0};
    const mt_dataset_source source = {.name = "s", .weight = 1};
    const int32_t ids[] = {5, 0};
    few_then_all_fail(n);
    mt_dataset_writer *w = mt_dataset_writer_new(other, false, &small_info, &error);
    written = w && mt_dataset_writer_begin_source(w, &source, &error) &&
              mt_dataset_writer_add_pair(w, ids, 2, ids, 2, &error) &&
              mt_dataset_writer_add_file(w, "source.spm", "s", 1, &error) &&
              mt_dataset_writer_add_file(w, "target.spm", "s", 1, &error) &&
              mt_dataset_writer_add_file(w, "vocab.json", "s", 1, &error) &&
              mt_dataset_writer_finish(w, NULL, &error);
    mt_dataset_writer_free(w);
    few_end();
    if (!written)
      g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    g_assert_cmpuint(small_count(folder), ==, written ? 2 : 1);
  }
}

static void
run(gconstpointer test)
{
  folder = small_temporary();
  ((void (*)(void)) test)();
  small_remove(folder);
}

TESTS()
{
  mt_guard_mapped_files();
  static const struct {
    const char *name;
    void (*test)(void);
  } tests[] = {
      {"/dataset/round-trip", test_round_trip},
      {"/dataset/tokenizer-is-copied", test_tokenizer_is_copied},
      {"/dataset/wide-ids", test_wide_ids},
      {"/dataset/refused-pairs", test_refused_pairs},
      {"/dataset/refused-infos", test_refused_infos},
      {"/dataset/given-up", test_given_up},
      {"/dataset/replaced", test_replaced},
      {"/dataset/full-disk", test_full_disk},
      {"/dataset/missing", test_missing},
      {"/dataset/manifests", test_manifests},
      {"/dataset/arrays", test_arrays},
      {"/dataset/texts", test_texts},
      {"/dataset/damage", test_damage},
      {"/dataset/cut-in-use", test_cut_in_use},
      {"/dataset/no-memory", test_no_memory},
  };
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add_data_func(tests[i].name, (gconstpointer) tests[i].test, run);
}
