/* test-fault.c — a model's file is cut off while it is mapped: an error, and the program lives on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "model-dir.h"
#include "pickle-writer.h"
#include "sentences.h"
#include "suite.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEXT "the cat is in the house"
/* Behind the header, so that the numbers begin on another page. */
#define PADDING 8192

/* In place, as another program would: not a new file of the same name. */
static int
cut(const model_dir *dir, const char *file, gsize n)
{
  g_autofree char *path = g_build_filename(dir->path, file, NULL);
  return truncate(path, (off_t) n);
}

static char *
translate(mt_session *session, mt_error *error)
{
  mt_search_params params = mt_search_params_default(mt_session_model(session));
  params.max_length = 12;
  params.min_length = 0;
  *error = (mt_error){0};
  g_autoptr(mt_translation) t = mt_session_translate(session, TEXT, &params, NULL, error);
  if (!t)
    return NULL;
  const mt_hypothesis *h = mt_translation_hypothesis(t, 0);
  char *result = g_strdup_printf("%s %.9g", h->text, h->score);
  return result;
}

static void
assert_cut(const model_dir *dir, const char *file, const mt_error *error)
{
  g_autofree char *folder = g_path_get_basename(dir->path);
  g_autofree char *message =
      g_strdup_printf("%s/%s: the file became shorter, or could no longer be read, while it was in "
                      "use; open it again.",
                      folder, file);
  g_assert_cmpint(error->code, ==, MT_ERROR_IO);
  g_assert_cmpstr(error->message, ==, message);
}

/* A model whose file is then `kept` bytes long. */
static void
check_cut(gsize kept)
{
  mt_error error = {0};
  g_autoptr(model_dir) dir = model_dir_new(), other = model_dir_new();
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, PADDING);
  mt_model *model = model_open_good(dir->path), *good = model_open_good(other->path);
  mt_session *session = sentences_session(model, 0, false);
  g_autoptr(mt_session) good_session = sentences_session(good, 0, false);
  g_autofree char *before = translate(session, &error);
  g_assert_nonnull(before);
  g_autoptr(mt_translation) scored = mt_session_score(session, TEXT, "the dog", -1, NULL, &error);
  g_assert_nonnull(scored);

  g_assert_cmpint(cut(dir, "model.safetensors", kept), ==, 0);
  g_assert_null(translate(session, &error));
  assert_cut(dir, "model.safetensors", &error);
  /* Not only where the zeros were put: from then on. */
  g_assert_null(translate(session, &error));
  assert_cut(dir, "model.safetensors", &error);
  g_assert_null(mt_session_capture(session, scored, 0, 0, NULL, &error));
  assert_cut(dir, "model.safetensors", &error);
  g_assert_null(mt_session_score(session, TEXT, "the dog", -1, NULL, &error));
  assert_cut(dir, "model.safetensors", &error);
  g_autoptr(mt_session) second = sentences_session(model, 0, false);
  g_assert_null(translate(second, &error));

  /* Another model does not notice, and the same one opened again is as before. */
  g_autofree char *elsewhere = translate(good_session, &error);
  g_assert_cmpstr(elsewhere, ==, before);
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, PADDING);
  g_assert_null(translate(session, &error));
  mt_session_free(session);
  mt_model_unref(model);
  model = model_open_good(dir->path);
  session = sentences_session(model, 0, false);
  g_autofree char *after = translate(session, &error);
  g_assert_cmpstr(after, ==, before);

  mt_session_free(session);
  mt_model_unref(model);
  mt_model_unref(good);
}

static void
test_cut_empty(void)
{
  check_cut(0);
}

/* All pages but the first are gone. */
static void
test_cut_middle(void)
{
  check_cut((gsize) sysconf(_SC_PAGESIZE));
}

/* ---- While it is opened ---------------------------------------------------------------------- */

typedef struct {
  const model_dir *dir;
  const char *file;
} victim;

static bool
cut_it(void *user, double share)
{
  const victim *v = user;
  g_assert_cmpint(cut(v->dir, v->file, 0), ==, 0);
  return true;
}

static void
check_loading(const model_dir *dir, const char *file)
{
  mt_error error = {0};
  victim v = {dir, file};
  const mt_load_options options = {.on_progress = cut_it, .user = &v};
  g_assert_null(mt_model_open(dir->path, &options, &error));
  g_assert_cmpint(error.code, !=, MT_OK);
}

/* What is converted is read while the model is opened: on_progress is first called when files were
 * not yet mapped, so the second call is the one that cuts. */
static bool
cut_later(void *user, double share)
{
  return share == 0 || cut_it(user, share);
}

static void
test_loading(void)
{
  mt_error error = {0};
  g_autoptr(model_dir) dir = model_dir_new();
  /* Before anything was read: an empty file. */
  check_loading(dir, "model.safetensors");
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_BF16, PADDING);
  victim v = {dir, "model.safetensors"};
  const mt_load_options options = {.on_progress = cut_later, .user = &v};
  g_assert_null(mt_model_open(dir->path, &options, &error));
  assert_cut(dir, "model.safetensors", &error);
  model_dir_remove(dir, "model.safetensors");
  model_dir_write_torch(dir, "pytorch_model.bin", 0, dir->tensors->len, DIR_F16);
  v.file = "pytorch_model.bin";
  g_assert_null(mt_model_open(dir->path, &options, &error));
  assert_cut(dir, "pytorch_model.bin", &error);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static int is_cut; /* atomic */

static gpointer
work(gpointer data)
{
  mt_error error = {0};
  g_autoptr(mt_session) session = sentences_session(data, 0, false);
  for (guint n_failed = 0; n_failed < 3;) {
    bool was_cut = g_atomic_int_get(&is_cut);
    g_autofree char *result = translate(session, &error);
    g_assert_true(result || error.code == MT_ERROR_IO);
    g_assert_false(result && was_cut);
    n_failed += !result;
  }
  return NULL;
}

static void
test_threads(void)
{
  for (guint round = 0; round < 5; round++) {
    g_autoptr(model_dir) dir = model_dir_new();
    g_autoptr(mt_model) model = model_open_good(dir->path);
    GThread *threads[4];
    g_atomic_int_set(&is_cut, 0);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
      threads[i] = g_thread_new("work", work, model);
    g_usleep(1000 * round);
    g_assert_cmpint(cut(dir, "model.safetensors", 0), ==, 0);
    g_atomic_int_set(&is_cut, 1);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
      g_thread_join(threads[i]);
  }
}

/* ---- Somebody else's pages ------------------------------------------------------------------- */

static sigjmp_buf back;
static volatile sig_atomic_t n_other;

static void
on_other(int number)
{
  n_other++;
  siglongjmp(back, 1);
}

static void
test_other_handler(void)
{
  g_autoptr(model_dir) dir = model_dir_new();
  g_autoptr(mt_model) model = model_open_good(dir->path);
  g_autofree char *path = g_build_filename(dir->path, "mine", NULL);
  int fd = g_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  g_assert_cmpint(ftruncate(fd, 4096), ==, 0);
  volatile char *mine = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  g_assert_true((void *) mine != MAP_FAILED);
  g_assert_cmpint(ftruncate(fd, 0), ==, 0);
  n_other = 0;
  if (sigsetjmp(back, 1) == 0) {
    char read = *mine;
    g_error("found %d behind the end of a file", read);
  }
  g_assert_cmpint(n_other, ==, 1);
  munmap((void *) mine, 4096);
  close(fd);
  model_dir_remove(dir, "mine");
}

TESTS()
{
  struct sigaction other = {.sa_handler = on_other};
  sigaction(SIGBUS, &other, NULL);
  mt_guard_mapped_files();
  mt_guard_mapped_files(); /* again does nothing */
  g_test_add_func("/fault/cut/empty", test_cut_empty);
  g_test_add_func("/fault/cut/middle", test_cut_middle);
  g_test_add_func("/fault/loading", test_loading);
  g_test_add_func("/fault/threads", test_threads);
  g_test_add_func("/fault/other-handler", test_other_handler);
}
