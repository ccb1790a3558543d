/* test-prepare.c — regard-train prepare as a user meets it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "engine-test.h"
#include "small-dataset.h"
#include "suite.h"
#include "train/train-corpus.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static char *model; /* tests/data/frozen/en-de */

static char *
write_text(const char *name, const char *text)
{
  char *path = cli_scratch_path(name);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  return path;
}

static int64_t
get(json_object *object, const char *key)
{
  json_object *value;
  if (!json_object_object_get_ex(object, key, &value))
    g_error("there is no %s", key);
  return json_object_get_int64(value);
}

static json_object *
member(json_object *object, const char *key)
{
  json_object *value;
  if (!json_object_object_get_ex(object, key, &value))
    g_error("there is no %s", key);
  return value;
}

/* Sentences by the hundred, all different, short. */
static char *
make_pairs(guint n)
{
  static const char *const english[] = {"The cat", "My brother", "A dog", "The old man", "Tom"};
  static const char *const german[] = {"Die Katze", "Mein Bruder", "Ein Hund", "Der alte Mann",
                                       "Tom"};
  static const char *const does[] = {"sleeps", "eats",  "reads", "sings",
                                     "swims",  "waits", "laughs"};
  static const char *const tut[] = {"schläft",  "isst",   "liest", "singt",
                                    "schwimmt", "wartet", "lacht"};
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%s %s at number %u.\t%s %s bei Nummer %u.\n", english[i % 5],
                           does[i % 7], i, german[i % 5], tut[i % 7], i);
  return g_string_free(text, FALSE);
}

/* ---- What is dropped ------------------------------------------------------------------------- */

static void
test_reasons(void)
{
  g_autofree char *much = g_strnfill(1100, 'a');
  g_autofree char *text = g_strconcat(
      "Good morning.\tGuten Morgen.\n"
      "  Good \t  evening.  \n"                                /* kept, squeezed */
      "no tab here\n"                                          /* columns */
      "bad \xff byte\tschlecht\n"                              /* utf8 */
      "bell\x07\tGlocke\n"                                     /* control */
      "lost \xef\xbf\xbd\tverloren\n"                          /* control */
      "\tleer\n"                                               /* empty */
      "empty\t \xc2\xa0 \n",                                   /* empty */
      much, "\tlang\n",                                        /* long */
      "short\tan awful lot of words that stand for it here\n", /* ratio */
      "OK\tIn Ordnung\n"                      /* kept: short texts differ by chance */
      "Linux\tLinux\n"                        /* copy */
      "A test sentence!\tEin Satz.\n"         /* test */
      "Not one.\tein  TESTSATZ\n"             /* test, on the other side */
      "Good morning.\tGuten Morgen.\textra\n" /* duplicate: the third column is not looked at */
      "u\xcc\x88\tue\n\xc3\xbc\tue\n"         /* kept, then a duplicate in form C */
      "\xe2\x80\x8b\tnichts\n",               /* tokens: nothing of it is left */
      NULL);
  g_autofree char *file = write_text("reasons.tsv", text);
  g_autofree char *tests = write_text("tests.txt", "a test, sentence\nIrgendein\tEin Testsatz.\n");
  g_autofree char *output = cli_scratch_path("reasons");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "prepare", "-o", output, "-t", model, "--heldout", "0",
                                     "-x", tests, "--json", file, NULL);
  g_autoptr(json_object) answer = cli_assert_json(run->out);
  json_object *all = member(answer, "all"), *dropped = member(all, "dropped");
  static const struct {
    const char *reason;
    int64_t n;
  } expected[] = {
      {"columns", 1}, {"utf8", 1}, {"control", 2},   {"empty", 2},   {"long", 1},   {"ratio", 1},
      {"copy", 1},    {"test", 2}, {"duplicate", 2}, {"heldout", 0}, {"tokens", 1},
  };
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_test_message("%s", expected[i].reason);
    g_assert_cmpint(get(dropped, expected[i].reason), ==, expected[i].n);
  }
  g_assert_cmpint(get(all, "train"), ==, 4);
  g_assert_cmpint(get(all, "lines"), ==, 18);
  g_autoptr(mt_dataset) d = small_open(output);
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_TRAIN), ==, 4);
  /* The table has a column for each reason that occurred. */
  g_autoptr(CliRun) table = cli_run_ok(NULL, "prepare", "-o", output, "--replace", "-t", model,
                                       "--heldout", "0", file, NULL);
  g_assert_nonnull(strstr(table->out, "control"));
  g_assert_null(strstr(table->out, "heldout      "));
  g_assert_nonnull(strstr(table->out, "\nall "));
}

/* The ids are those that the model itself gives. */
static void
test_ids(void)
{
  static const char *const pairs[][2] = {
      {"I have two dogs.", "Ich habe zwei Hunde."},
      {"Naïve café: 100 % “free”…", "„Straße“ – größer als 3,5 €!"},
      {"日本 is far away 😀", "Japan ist weit weg </s> <pad>"},
  };
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(pairs); i++)
    g_string_append_printf(text, "%s\t%s\n", pairs[i][0], pairs[i][1]);
  g_autofree char *file = write_text("ids.tsv", text->str);
  g_autofree char *output = cli_scratch_path("ids");
  cli_succeeds(NULL, "prepare", "-o", output, "-t", model, "--heldout", "0", file, NULL);
  mt_error error = {0};
  g_autoptr(mt_model) opened = mt_model_open(model, NULL, &error);
  g_assert_nonnull(opened);
  g_autoptr(mt_dataset) d = small_open(output);
  const mt_dataset_info *info = mt_dataset_get_info(d);
  g_assert_cmpint(info->pad_id, ==, 8000);
  g_assert_cmpuint(info->vocab_size[0], ==, 8001);
  for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++)
    for (int s = 0; s < MT_N_STACKS; s++) {
      int32_t ids[256];
      g_autoptr(mt_tokens) tokens = mt_model_tokenize(opened, (mt_stack) s, pairs[i][s], &error);
      gsize n = mt_dataset_length(d, MT_DATASET_TRAIN, (mt_stack) s, i);
      g_assert_cmpuint(n, ==, mt_tokens_count(tokens));
      g_assert_true(mt_dataset_copy(d, MT_DATASET_TRAIN, (mt_stack) s, i, ids, n, &error));
      for (gsize k = 0; k < n; k++)
        g_assert_cmpint(ids[k], ==, mt_tokens_get(tokens, k)->id);
    }
}

/* ---- Held-out pairs -------------------------------------------------------------------------- */

static void
test_heldout(void)
{
  g_autofree char *pairs = make_pairs(400);
  /* The same English sentences with other translations: none of them may be trained on. */
  g_autofree char *other = g_strdup(pairs);
  for (char *at = other; (at = strstr(at, "bei Nummer"));)
    memcpy(at, "mit Nummer", 10);
  g_autofree char *both = g_strconcat(pairs, other, NULL);
  g_autofree char *file = write_text("heldout.tsv", both);
  g_autofree char *output = cli_scratch_path("heldout");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "prepare", "-o", output, "-t", model, "--heldout", "40",
                                     "--seed", "5", "--json", file, NULL);
  g_autoptr(mt_dataset) d = small_open(output);
  gsize n_heldout = mt_dataset_count(d, MT_DATASET_HELDOUT);
  g_assert_cmpuint(n_heldout, ==, 40);
  g_autoptr(json_object) answer = cli_assert_json(run->out);
  json_object *all = member(answer, "all");
  g_assert_cmpint(get(all, "heldout"), ==, 40);
  int64_t n_dropped = get(member(all, "dropped"), "heldout");
  g_assert_cmpint(n_dropped, >, 20); /* nearly one for each */
  g_assert_cmpint(get(all, "train"), ==, 800 - 40 - n_dropped);
  /* No sentence is on both sides of the line: compared as ids, which are as good as the text. */
  g_autoptr(GHashTable) trained = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (int part = 0; part < MT_DATASET_N_PARTS; part++)
    for (gsize i = 0; i < mt_dataset_count(d, (mt_dataset_part) part); i++) {
      int32_t ids[256];
      mt_error error = {0};
      g_autoptr(GString) key = g_string_new(NULL);
      gsize n = mt_dataset_length(d, (mt_dataset_part) part, MT_STACK_ENCODER, i);
      g_assert_true(
          mt_dataset_copy(d, (mt_dataset_part) part, MT_STACK_ENCODER, i, ids, n, &error));
      for (gsize k = 0; k < n; k++)
        g_string_append_printf(key, "%d ", ids[k]);
      if (part == MT_DATASET_TRAIN)
        g_hash_table_add(trained, g_strdup(key->str));
      else
        g_assert_false(g_hash_table_contains(trained, key->str));
    }
}

/* A source that is held out as a whole, and lines of a file. */
static void
test_config(void)
{
  g_autofree char *pairs = make_pairs(30);
  g_autofree char *file = write_text("config.tsv", pairs);
  g_autofree char *english = write_text("config.en", "Hello.\nSee you.\nSorry.\n");
  g_autofree char *german = write_text("config.de", "Hallo.\nBis bald.\nVerzeihung.\n");
  g_autofree char *swapped = write_text("swapped.tsv", "x\tDanke.\tThanks.\n");
  g_autofree char *tests = write_text("config-tests.txt", "sorry\n");
  g_autofree char *json = g_strdup_printf(
      "{\"note\": \"for people\", \"languages\": [\"en\", \"de\"], \"tokenizer\": \"%s\","
      " \"heldout\": 0, \"exclude\": [\"config-tests.txt\"], \"sources\": ["
      "{\"name\": \"first\", \"file\": \"config.tsv\", \"lines\": [1, 10], \"weight\": 8,"
      "  \"licence\": \"CC0\", \"note\": \"numbers\"},"
      "{\"file\": \"config.tsv\", \"lines\": [11, 30], \"weight\": 0.5},"
      "{\"source\": \"config.en\", \"target\": \"config.de\"},"
      "{\"file\": \"swapped.tsv\", \"columns\": [3, 2]},"
      "{\"name\": \"valid\", \"file\": \"config.tsv\", \"lines\": [7, 9], \"heldout\": true}]}",
      model);
  g_autofree char *config = write_text("config.json", json);
  g_autofree char *output = cli_scratch_path("config");
  cli_succeeds(NULL, "prepare", "-o", output, "-c", config, NULL);
  g_autoptr(mt_dataset) d = small_open(output);
  /* Lines 7 to 9 came first as training pairs, so they are duplicates where they are held out, and
   * nothing is: the order of sources decides. */
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_HELDOUT), ==, 0);
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_TRAIN), ==, 30 + 2 + 1);
  g_assert_cmpuint(mt_dataset_count_sources(d), ==, 4);
  const mt_dataset_source *first = mt_dataset_get_source(d, 0);
  g_assert_cmpstr(first->name, ==, "first");
  g_assert_cmpstr(first->licence, ==, "CC0");
  g_assert_cmpstr(first->note, ==, "numbers");
  g_assert_cmpfloat(first->weight, ==, 8);
  g_assert_cmpuint(first->n_pairs, ==, 10);
  g_assert_cmpstr(mt_dataset_get_source(d, 1)->name, ==, "config");
  g_assert_cmpuint(mt_dataset_get_source(d, 2)->n_pairs, ==, 2);
  g_assert_cmpstr(mt_dataset_get_info(d)->languages[1], ==, "de");
}

static void
test_heldout_source(void)
{
  g_autofree char *pairs = make_pairs(30);
  g_autofree char *file = write_text("hold.tsv", pairs);
  g_autofree char *json = g_strdup_printf(
      "{\"tokenizer\": \"%s\", \"heldout\": 5, \"sources\": ["
      "{\"name\": \"valid\", \"file\": \"hold.tsv\", \"lines\": [7, 9], \"heldout\": true},"
      "{\"name\": \"train\", \"file\": \"hold.tsv\"}]}",
      model);
  g_autofree char *config = write_text("hold.json", json);
  g_autofree char *output = cli_scratch_path("hold");
  cli_succeeds(NULL, "prepare", "-o", output, "-c", config, NULL);
  g_autoptr(mt_dataset) d = small_open(output);
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_HELDOUT), ==, 8);
  g_assert_cmpuint(mt_dataset_count(d, MT_DATASET_TRAIN), ==, 22);
  g_assert_cmpuint(mt_dataset_count_sources(d), ==, 1);
  guint n_found = 0;
  for (gsize i = 0; i < 8; i++) {
    gsize n;
    const char *text = mt_dataset_get_text(d, MT_STACK_ENCODER, i, &n);
    for (guint k = 6; k < 9; k++) {
      g_autofree char *number = g_strdup_printf("number %u.", k);
      n_found += g_strstr_len(text, (gssize) n, number) != NULL;
    }
  }
  g_assert_cmpuint(n_found, ==, 3);
}

/* ---- A tokenizer of its own ------------------------------------------------------------------ */

static goffset
file_size(const char *path)
{
  GStatBuf status;
  g_assert_cmpint(g_stat(path, &status), ==, 0);
  return status.st_size;
}

static gboolean
has_piece(const char *folder, const char *piece)
{
  g_autofree char *path = g_build_filename(folder, "vocab.json", NULL);
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_autoptr(json_object) vocab = cli_assert_json(text);
  gboolean has = json_object_object_get_ex(vocab, piece, NULL);
  return has;
}

static void
test_tokenizer(void)
{
  g_autofree char *pairs = make_pairs(600);
  g_autofree char *file = write_text("spm.tsv", pairs);
  g_autofree char *joint = cli_scratch_path("joint");
  g_autofree char *again = cli_scratch_path("again");
  g_autofree char *apart = cli_scratch_path("apart");
  g_autofree char *reused = cli_scratch_path("reused");
  g_autoptr(CliRun) a = cli_run_ok(NULL, "prepare", "-o", joint, "--vocab-size", "110", "--from",
                                   "en", "--to", "de", "--heldout", "10", "-j", "1", file, NULL);
  g_assert_cmpstr(a->err, ==, "");
  cli_succeeds(NULL, "prepare", "-o", again, "--vocab-size", "110", "--from", "en", "--to", "de",
               "--heldout", "10", "-j", "3", file, NULL);
  mt_dataset *d = small_open(joint), *e = small_open(again);
  const mt_dataset_info *info = mt_dataset_get_info(d);
  g_assert_cmpuint(info->vocab_size[0], ==, 111);
  g_assert_cmpint(info->pad_id, ==, 110);
  g_assert_cmpint(info->eos_id, ==, 0);
  g_assert_cmpint(info->unk_id, ==, 1);
  g_assert_false(info->separate_vocabs);
  /* The same input, the same bytes, however many threads. */
  g_assert_cmpuint(mt_dataset_get_checksum(d), ==, mt_dataset_get_checksum(e));
  mt_dataset_free(e);

  cli_succeeds(NULL, "prepare", "-o", apart, "--vocab-size", "60", "--separate-vocabs", "--heldout",
               "10", file, NULL);
  e = small_open(apart);
  g_assert_true(mt_dataset_get_info(e)->separate_vocabs);
  g_assert_cmpuint(mt_dataset_get_info(e)->vocab_size[1], ==, 61);
  mt_dataset_free(e);

  /* A prepared folder's tokenizer serves for more text, and gives the same ids. */
  cli_succeeds(NULL, "prepare", "-o", reused, "-t", joint, "--heldout", "10", file, NULL);
  e = small_open(reused);
  for (int s = 0; s < MT_N_STACKS; s++)
    g_assert_cmpuint(mt_dataset_count_tokens(e, MT_DATASET_TRAIN, (mt_stack) s), ==,
                     mt_dataset_count_tokens(d, MT_DATASET_TRAIN, (mt_stack) s));
  mt_dataset_free(e);
  mt_dataset_free(d);

  /* Words whole, by merges; and without the table of a normalisation. */
  g_autofree char *merged = cli_scratch_path("merged");
  cli_succeeds(NULL, "prepare", "-o", merged, "--vocab-size", "110", "--segmentation", "bpe",
               "--normalization", "identity", "--heldout", "10", file, NULL);
  e = small_open(merged);
  g_assert_cmpuint(mt_dataset_get_info(e)->vocab_size[0], ==, 111);
  mt_dataset_free(e);
  g_autofree char *plain = g_build_filename(merged, "source.spm", NULL);
  g_autofree char *normal = g_build_filename(joint, "source.spm", NULL);
  g_assert_cmpuint(file_size(plain), <, 10000);
  g_assert_cmpuint(file_size(normal), >, 200000);
  g_assert_true(has_piece(merged, "\u2581number"));
  g_assert_false(has_piece(joint, "\u2581number")); /* one word alone suggests no piece there */

  g_autofree char *much = cli_scratch_path("much");
  g_autoptr(CliRun) g = cli_run(NULL, "prepare", "-o", much, "--vocab-size", "50000", file, NULL);
  cli_assert_status(g, 1);
  g_assert_nonnull(strstr(g->err, "A tokenizer of 50000 pieces cannot be trained"));
  g_assert_nonnull(strstr(g->err, "--vocab-size"));
  g_assert_false(g_file_test(much, G_FILE_TEST_EXISTS));
}

/* Characters that the text does not have, and a piece for each digit. */
static void
test_characters(void)
{
  g_autofree char *pairs = make_pairs(600);
  g_autofree char *file = write_text("characters.tsv", pairs);
  g_autofree char *without = cli_scratch_path("without"), *with = cli_scratch_path("with");
  g_autofree char *config =
      write_text("characters.json",
                 "{\"characters\": \"€éŁ“é\", \"split_digits\": true, \"vocab_size\": 75}");
  cli_succeeds(NULL, "prepare", "-o", without, "--vocab-size", "110", file, NULL);
  cli_succeeds(NULL, "prepare", "-o", with, "-c", config, file, NULL);
  static const char *const pieces[] = {"€", "é", "Ł", "“"};
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    g_assert_false(has_piece(without, pieces[i]));
    g_assert_true(has_piece(with, pieces[i]));
  }
  guint n_numbers[2] = {0, 0};
  for (guint i = 10; i < 600; i++) {
    /* Releases of SentencePiece differ in whether the full stop belongs to a number. */
    g_autofree char *number = g_strdup_printf("%u", i), *begins = g_strconcat("▁", number, NULL);
    g_autofree char *whole = g_strconcat(begins, ".", NULL);
    const char *const ways[] = {number, begins, whole};
    for (guint k = 0; k < G_N_ELEMENTS(ways); k++) {
      n_numbers[0] += has_piece(without, ways[k]);
      n_numbers[1] += has_piece(with, ways[k]);
    }
  }
  g_assert_cmpuint(n_numbers[0], >, 0);
  g_assert_cmpuint(n_numbers[1], ==, 0);
  g_assert_true(has_piece(with, "5"));

  /* The same, said on the command line. */
  g_autofree char *again = cli_scratch_path("with-again");
  cli_succeeds(NULL, "prepare", "-o", again, "--vocab-size", "75", "--characters", "€éŁ“é",
               "--split-digits", file, NULL);
  g_autoptr(mt_dataset) d = small_open(with), e = small_open(again);
  g_assert_cmpuint(mt_dataset_get_checksum(d), ==, mt_dataset_get_checksum(e));
}

/* ---- What goes wrong ------------------------------------------------------------------------- */

static void
complains(CliRun *run, int status, const char *what)
{
  cli_assert_status(run, status);
  if (!strstr(run->err, what))
    g_error("expected \"%s\" in \"%s\"", what, run->err);
  g_assert_true(g_str_has_prefix(run->err, "regard-train prepare: "));
}

/* What SentencePiece cannot take; it would end the program. */
static void
test_characters_refused(void)
{
  g_autofree char *pairs = make_pairs(600);
  g_autofree char *file = write_text("refused.tsv", pairs);
  g_autofree char *output = cli_scratch_path("refused");
  static const char *const cases[][4] = {
      {"--characters", "é", "bpe", "Only a unigram tokenizer"},
      {"--characters", "a b", "unigram", "found U+0020"},
      {"--characters", "a\xff", "unigram", "other bytes"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CliRun) run =
        cli_run(NULL, "prepare", "-o", output, "--vocab-size", "110", cases[i][0], cases[i][1],
                "--segmentation", cases[i][2], file, NULL);
    complains(run, 1, cases[i][3]);
  }
  g_autoptr(CliRun) digits = cli_run(NULL, "prepare", "-o", output, "--vocab-size", "75",
                                     "--segmentation", "bpe", "--split-digits", file, NULL);
  complains(digits, 1, "Only a unigram tokenizer");
  /* Where there is a tokenizer, none is told anything. A letter that the normalisation takes apart
   * does no harm. */
  cli_succeeds(NULL, "prepare", "-o", output, "--vocab-size", "110", "--characters", "ŉſ▁", file,
               NULL);
}

/* Nothing hidden stays in the scratch folder. */
static void
assert_clean(void)
{
  GDir *list = g_dir_open(cli_scratch(), 0, NULL);
  for (const char *name; (name = g_dir_read_name(list));)
    g_assert_false(name[0] == '.');
  g_dir_close(list);
}

static void
test_mistakes(void)
{
  g_autofree char *good = write_text("good.tsv", "Good morning.\tGuten Morgen.\n");
  g_autofree char *empty = write_text("nothing.tsv", "");
  g_autofree char *useless = write_text("useless.tsv", "a\tb\tc\nsame\tsame\n");
  g_autofree char *short_ = write_text("short.de", "eins\n");
  g_autofree char *long_ = write_text("long.en", "one\ntwo\n");
  g_autofree char *pair = g_strconcat(long_, ",", short_, NULL);
  g_autofree char *missing = cli_scratch_path("missing.tsv.xz");
  g_autofree char *output = cli_scratch_path("mistake");
  g_autofree char *weighted = g_strconcat(good, ":0", NULL);
#define PREPARE(...) cli_run(NULL, "prepare", "-o", output, "-t", model, __VA_ARGS__, NULL)
  g_autoptr(CliRun) a = PREPARE(missing);
  complains(a, 1, "missing.tsv.xz: the file cannot be opened");
  g_autoptr(CliRun) b = PREPARE(empty);
  complains(b, 1, "found no line");
  g_autoptr(CliRun) c = PREPARE("--max-chars", "1", "--max-ratio", "1", "-x", useless, useless);
  complains(c, 1, "none that can be used in 2 lines");
  g_autoptr(CliRun) d = PREPARE(pair);
  complains(d, 1, "short.de: expected as many lines as in");
  g_autoptr(CliRun) e = PREPARE(weighted);
  complains(e, 2, "weight");
  g_autoptr(CliRun) f = PREPARE("--max-ratio", "0.5", good);
  complains(f, 2, "--max-ratio wants a number from 1");
  g_autoptr(CliRun) endless = PREPARE("-c", "/dev/zero");
  complains(endless, 1, "/dev/zero: expected at most 1048576 bytes, found more");
  g_autoptr(CliRun) g = PREPARE("-c", missing);
  complains(g, 1, "missing.tsv.xz: the file cannot be read");
  g_autoptr(CliRun) h = cli_run(NULL, "prepare", "-o", output, "-t", "/nowhere/at/all", good, NULL);
  complains(h, 1, "/nowhere/at/all");
  g_autoptr(CliRun) i = cli_run(NULL, "prepare", good, NULL);
  complains(i, 2, "--output wants DIR");
  g_autoptr(CliRun) j = cli_run(NULL, "prepare", "-o", output, NULL);
  complains(j, 2, "no text given");
  g_assert_false(g_file_test(output, G_FILE_TEST_EXISTS));
  /* A folder that is something else is never replaced. */
  g_autofree char *precious = cli_scratch_path("precious");
  g_mkdir(precious, 0777);
  g_autofree char *letter = g_build_filename(precious, "letter.txt", NULL);
  g_assert_true(g_file_set_contents(letter, "dear", -1, NULL));
  g_autoptr(CliRun) k = cli_run(NULL, "prepare", "-o", precious, "-t", model, good, NULL);
  complains(k, 1, "exists already");
  g_autoptr(CliRun) l =
      cli_run(NULL, "prepare", "-o", precious, "--replace", "-t", model, good, NULL);
  complains(l, 1, "expected a prepared folder");
  g_assert_true(g_file_test(letter, G_FILE_TEST_EXISTS));
  assert_clean();
}

static void
test_bad_configs(void)
{
  static const struct {
    const char *json, *what;
  } cases[] = {
      {"[]", "bad.json: expected"},
      {"{\"sources\": 3}", "\"sources\" to be a list, found the number 3"},
      {"{\"source\": []}", "found \"source\""},
      {"{\"sources\": [{\"name\": \"x\"}]}", "source 1 to have \"file\""},
      {"{\"sources\": [{\"file\": \"a\", \"target\": \"b\"}]}", "source 1"},
      {"{\"sources\": [{\"file\": \"a\", \"weigth\": 1}]}", "found \"weigth\""},
      {"{\"sources\": [{\"file\": \"a\", \"weight\": -1}]}", "\"weight\" to be a number"},
      {"{\"sources\": [{\"file\": \"a\", \"lines\": [5, 2]}]}", "the first and the last line"},
      {"{\"sources\": [{\"file\": \"a\", \"columns\": [1, 1]}]}", "two different columns"},
      {"{\"sources\": [{\"file\": \"a\", \"heldout\": 1}]}", "true or false"},
      {"{\"languages\": [\"en\"]}", "two languages"},
      {"{\"heldout\": 1.5}", "\"heldout\" to be a whole number"},
      {"{\"characters\": 2}", "\"characters\" to be some text, found the number 2"},
      {"{\"split_digits\": 1}", "\"split_digits\" to be true or false"},
      {"{\"coverage\": 2}", "\"coverage\" to be a number from 0.9 to 1"},
      {"{\"exclude\": \"a\"}", "a list of files"},
      {"{\"segmentation\": \"word\"}", "\"segmentation\" to be one of unigram, bpe, found"},
      {"{\"normalization\": 3}", "\"normalization\" to be one of nmt_nfkc, nfkc, identity, found"},
      {"{\"vocab_size\": \"8k\"}", "found \"8k\""},
  };
  g_autofree char *output = cli_scratch_path("bad");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *config = write_text("bad.json", cases[i].json);
    g_autoptr(CliRun) run = cli_run(NULL, "prepare", "-o", output, "-c", config, NULL);
    complains(run, 1, cases[i].what);
  }
}

/* A full disk, for which a limit on the size of files stands. */
static void
test_full_disk(void)
{
  g_autofree char *pairs = make_pairs(20000);
  g_autofree char *file = write_text("full.tsv", pairs);
  g_autofree char *output = cli_scratch_path("full");
  struct rlimit before;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
  /* The tokenizer has 378 kB a side, the temporary file 1.6 MB, no other file so much. */
  static const rlim_t limits[] = {100000, 1000000};
  static const char *const words[] = {"The temporary file cannot be written",
                                      "The temporary file cannot be written"};
  for (guint i = 0; i < G_N_ELEMENTS(limits); i++) {
    struct rlimit little = before;
    little.rlim_cur = limits[i];
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
    g_autoptr(CliRun) run = cli_run(NULL, "prepare", "-o", output, "-t", model, file, NULL);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
    complains(run, 1, words[i]);
    g_assert_false(g_file_test(output, G_FILE_TEST_EXISTS));
    assert_clean();
  }
}

/* Interrupted: it says so, and nothing stays behind. */
static void
test_interrupted(void)
{
  g_autofree char *pairs = make_pairs(100000);
  g_autofree char *file = write_text("interrupt.tsv", pairs);
  g_autofree char *output = cli_scratch_path("interrupted");
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process =
      g_subprocess_new(G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, cli_program(), "prepare", "-o",
                       output, "-t", model, file, NULL);
  g_assert_no_error(error);
  /* It reads a pipe of its own messages until it ends; the signal comes as soon as it has begun. */
  g_usleep(G_USEC_PER_SEC / 5);
  g_subprocess_send_signal(process, SIGTERM);
  g_autoptr(GBytes) err = NULL;
  g_assert_true(g_subprocess_communicate(process, NULL, NULL, NULL, &err, &error));
  gboolean finished = g_file_test(output, G_FILE_TEST_EXISTS);
  /* A quick machine may have been done, a slow one may not yet have asked to be told. */
  if (!finished && g_subprocess_get_if_exited(process)) {
    g_assert_cmpint(g_subprocess_get_exit_status(process), ==, 1);
    g_autofree char *said = g_strndup(g_bytes_get_data(err, NULL), g_bytes_get_size(err));
    g_assert_nonnull(strstr(said, "Interrupted; nothing was written"));
  }
  assert_clean();
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Each item's chance is proportional to its weight, and as many are drawn as were asked for. */
static void
test_sample(void)
{
  guint heavy = 0;
  for (guint64 seed = 0; seed < 200; seed++) {
    g_autoptr(TrainSample) sample = train_sample_new(10, seed, 1);
    guint n = 0;
    for (guint64 i = 0; i < 1000; i++)
      train_sample_offer(sample, i, i < 100 ? 9 : 1);
    for (guint64 i = 0; i < 1000; i++)
      if (train_sample_has(sample, i, i < 100 ? 9 : 1)) {
        n++;
        heavy += i < 100;
      }
    g_assert_cmpuint(n, ==, 10);
  }
  /* One half: 100 of weight 9, 900 of weight 1. Five standard deviations are 110. */
  g_assert_cmpuint(heavy, >, 890);
  g_assert_cmpuint(heavy, <, 1110);
  g_autoptr(TrainSample) few = train_sample_new(10, 1, 1);
  train_sample_offer(few, 3, 1);
  g_assert_true(train_sample_has(few, 3, 1));
  g_autoptr(TrainSample) none = train_sample_new(0, 1, 1);
  train_sample_offer(none, 3, 1);
  g_assert_false(train_sample_has(none, 3, 1));
}

static void
test_hashes(void)
{
  static const char *const same[][2] = {
      {"Hello, World!", "hello world"},
      {"Größe: 5", "GRÖSSE 5"},
      {"„Ja“ – nein", "JA nein"},
      {"日本。", "日本"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(same); i++) {
    gboolean equal = train_hash_loosely(same[i][0], strlen(same[i][0])) ==
                     train_hash_loosely(same[i][1], strlen(same[i][1]));
    g_assert_cmpint(equal, ==, i != 1); /* ß has no small letter of its own */
  }
  g_assert_cmpuint(train_hash_loosely("?! …", 6), ==, 0);
  g_assert_cmpuint(train_hash_loosely("a b", 3), !=, train_hash_loosely("b a", 3));
  g_assert_cmpuint(train_hash("a", 1, 1), !=, train_hash("a", 1, 2));
  double sum = 0;
  for (guint64 i = 0; i < 10000; i++) {
    double x = train_draw(3, 1, i);
    g_assert_true(x > 0 && x <= 1);
    sum += x;
  }
  g_assert_cmpfloat(fabs(sum / 10000 - 0.5), <, 0.015); /* five standard deviations */
}

static void
tear_down(void)
{
  g_free(model);
}

TESTS(.end = tear_down)
{
  signal(SIGXFSZ, SIG_IGN);
  model = cli_source_path("tests/data/frozen/en-de");
  g_test_add_func("/prepare/reasons", test_reasons);
  g_test_add_func("/prepare/ids", test_ids);
  g_test_add_func("/prepare/heldout", test_heldout);
  g_test_add_func("/prepare/heldout-source", test_heldout_source);
  g_test_add_func("/prepare/config", test_config);
  g_test_add_func("/prepare/tokenizer", test_tokenizer);
  g_test_add_func("/prepare/characters", test_characters);
  g_test_add_func("/prepare/characters-refused", test_characters_refused);
  g_test_add_func("/prepare/mistakes", test_mistakes);
  g_test_add_func("/prepare/bad-configs", test_bad_configs);
  g_test_add_func("/prepare/full-disk", test_full_disk);
  g_test_add_func("/prepare/interrupted", test_interrupted);
  g_test_add_func("/prepare/sample", test_sample);
  g_test_add_func("/prepare/hashes", test_hashes);
}
