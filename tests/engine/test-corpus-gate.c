/* test-corpus-gate.c — which corpus files are opened at all, and that reading writes nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "change-corpus.h"
#include "engine-test.h"
#include "golden.h"
#include "mt.h"
#include "sentences.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder;

static char *
path_of(const char *name)
{
  return g_build_filename(folder, name, NULL);
}

static bool
can_read(const char *path, mt_error *error)
{
  g_autoptr(mt_corpus) corpus = mt_corpus_open(path, error);
  const bool ok = corpus && mt_corpus_hash(corpus, error) != 0;
  return ok;
}

static guint
n_files(void)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name(dir))
    n++;
  return n;
}

static void
refuse_to_open(const char *path, mt_error_code code, const char *words)
{
  const guint before = n_files();
  mt_error error = {0};
  g_assert_null(mt_corpus_open(path, &error));
  g_assert_cmpint(error.code, ==, code);
  if (!strstr(error.message, words))
    g_error("expected \"%s\" in \"%s\"", words, error.message);
  const char *const parts[] = {path};
  g_autofree char *out = path_of("never");
  g_assert_false(mt_corpus_merge(parts, 1, out, NULL, NULL, &error));
  g_assert_cmpuint(n_files(), ==, before);
}

/* A pipe is not waited for; a file in WAL mode, with which SQLite writes and reads others beside
 * it, is not opened, and neither is one that is being written; reading writes nothing. */
static void
test_gate(void)
{
  g_autofree char *good = path_of("gate %41?x#.corpus"), *bad = path_of("gate-bad"), *bytes = NULL;
  g_autofree char *journal = path_of("gate-bad-journal"), *log = path_of("gate-bad-wal");
  g_autofree char *source = golden_path("models/en-de/everyday.regard-corpus");
  gsize n;
  mt_error error = {0};
  mt_model *model = sentences_model("models/en-de");
  g_assert_true(g_file_get_contents(source, &bytes, &n, NULL));
  g_assert_true(g_file_set_contents(good, bytes, (gssize) n, NULL));
  const guint before = n_files();
  g_assert_true(can_read(good, &error)); /* whatever signs are in its name */
  g_assert_cmpuint(n_files(), ==, before);

  g_assert_cmpint(mkfifo(bad, 0600), ==, 0);
  refuse_to_open(bad, MT_ERROR_IO, "expected a corpus file, found a pipe");
  const mt_corpus_settings settings = {.text_name = "test", .n_threads = 1};
  g_assert_null(mt_corpus_writer_new(bad, model, &settings, &error));
  g_unlink(bad);

  for (gsize at = 18; at < 20; at++) {
    g_autofree char *wal = g_memdup2(bytes, n);
    wal[at] = 2;
    g_assert_true(g_file_set_contents(bad, wal, (gssize) n, NULL));
    refuse_to_open(bad, MT_ERROR_FORMAT, "bytes 18 and 19 are 1");
    const guint files = n_files();
    g_assert_null(mt_corpus_writer_new(bad, model, &settings, &error));
    g_assert_cmpuint(n_files(), ==, files);
  }
  /* A log of a stranger beside a good file is not looked at, and nothing is written into either. */
  g_assert_true(g_file_set_contents(bad, bytes, (gssize) n, NULL));
  g_assert_true(g_file_set_contents(log, bytes, (gssize) n, NULL));
  g_assert_true(can_read(bad, &error));
  error = (mt_error){0};
  g_assert_null(mt_corpus_writer_new(bad, model, &settings, &error));
  g_assert_nonnull(strstr(error.message, "gate-bad-wal beside it"));
  g_unlink(log);
  g_assert_true(g_file_set_contents(journal, bytes, (gssize) n, NULL));
  refuse_to_open(bad, MT_ERROR_IO, "another program is writing it, or was ended while it did");
  g_unlink(journal);

  /* No lock keeps a writer away: what it changes is noticed. */
  mt_corpus *corpus = mt_corpus_open(bad, &error);
  g_assert_nonnull(corpus);
  change_corpus(bad, "UPDATE about SET value = 7 WHERE key = 'sentences'");
  error = (mt_error){0};
  g_assert_cmpuint(mt_corpus_hash(corpus, &error), ==, 0);
  g_assert_nonnull(strstr(error.message, "was changed while it was read"));
  mt_corpus_close(corpus);
  mt_model_unref(model);
  const char *const made[] = {good, bad};
  for (guint i = 0; i < G_N_ELEMENTS(made); i++)
    g_remove(made[i]);
}

static void
tear_down(void)
{
  g_rmdir(folder);
  g_free(folder);
}

TESTS(.end = tear_down)
{
  folder = g_dir_make_tmp("regard-corpus-gate-XXXXXX", NULL);
  g_test_add_func("/corpus-gate/gate", test_gate);
}
