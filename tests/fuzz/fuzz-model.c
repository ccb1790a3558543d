/* fuzz-model.c — the small model that most fuzz targets spoil, and how a model is used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/model-dir.h"
#include "engine-test.h"
#include "fuzz.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

volatile double fuzz_sink;
static model_dir *the_dir;

static void
remove_dir(void)
{
  model_dir_free(the_dir);
}

static const model_dir *
dir(void)
{
  if (!the_dir) {
    /* Threads would only make runs differ: the matrices are tiny. */
    g_setenv("OPENBLAS_NUM_THREADS", "1", TRUE);
    the_dir = model_dir_new();
    atexit(remove_dir);
  }
  return the_dir;
}

const char *
fuzz_model_path(void)
{
  return dir()->path;
}

void
fuzz_model_put(const char *file, const void *bytes, size_t n)
{
  g_autofree char *path = g_build_filename(fuzz_model_path(), file, NULL);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, bytes, n) != (ssize_t) n || close(fd) != 0)
    g_error("%s cannot be written", path);
}

void
fuzz_model_copy(const char *path, const char *file)
{
  g_autofree char *bytes = NULL;
  gsize n;
  if (!g_file_get_contents(path, &bytes, &n, NULL))
    g_error("%s cannot be read", path);
  fuzz_model_put(file, bytes, n);
}

void
fuzz_model_remove(const char *file)
{
  model_dir_remove(dir(), file);
}

void
fuzz_model_check(void)
{
  mt_error error = {0};
  mt_model *model = mt_model_open(fuzz_model_path(), NULL, &error);
  if (!model)
    g_error("%s", error.message);
  mt_model_unref(model);
}

char *
fuzz_model_get(const char *file, gsize *n)
{
  return model_dir_read(dir(), file, n);
}

/* ---- Using a model ----------------------------------------------------------------------------
 */

/* Read every number, so that a matrix that is not all there is noticed. */
static double
sum(const mt_matrix *matrix)
{
  double total = 0;
  for (size_t r = 0; r < matrix->rows; r++)
    for (size_t c = 0; c < matrix->cols; c++)
      total += (double) mt_matrix_at(matrix, r, c);
  return total;
}

static void
look_at(const mt_model *model)
{
  const mt_config *config = mt_model_config(model);
  for (size_t i = 0; i < mt_model_n_tensors(model); i++)
    fuzz_sink += (double) strlen(mt_model_tensor(model, i)->name);
  for (int stack = 0; stack < MT_N_STACKS; stack++) {
    mt_matrix positions = mt_model_positions(model, (mt_stack) stack);
    positions.rows = MIN(positions.rows, 64);
    fuzz_sink += sum(&positions);
    gsize n = MIN(config->vocab_size[stack], 300);
    g_autofree int32_t *ids = g_new(int32_t, n);
    for (gsize i = 0; i < n; i++)
      ids[i] = (int32_t) i;
    mt_error error = {0};
    g_autoptr(mt_tokens) tokens = mt_model_detokenize(model, (mt_stack) stack, ids, n, &error);
    g_assert(tokens || error.message[0]);
  }
}

static void
capture_and_look(mt_session *session, const mt_translation *translation)
{
  mt_error error = {0};
  mt_capture *capture =
      mt_session_capture(session, translation, 0, MT_CAPTURE_SCORES, NULL, &error);
  g_assert(capture || error.message[0]);
  for (int kind = 0; capture && kind < MT_N_KINDS; kind++)
    for (size_t l = 0; l < mt_capture_n_layers(capture, (mt_attention_kind) kind); l++)
      for (size_t h = 0; h < mt_capture_n_heads(capture, (mt_attention_kind) kind); h++) {
        mt_matrix weights = mt_capture_weights(capture, (mt_attention_kind) kind, l, h);
        fuzz_sink += sum(&weights);
        fuzz_sink += mt_head_metrics_compute(capture, (mt_attention_kind) kind, l, h).mean_entropy;
      }
  mt_capture_unref(capture);
}

static void
use(mt_model *model)
{
  look_at(model);
  mt_error error = {0};
  mt_session_options options = {.n_threads = 1};
  g_autoptr(mt_session) session = mt_session_new(model, &options, &error);
  g_assert(session || error.message[0]);
  if (session) {
    /* What the model asks for, kept short. */
    mt_search_params params = mt_search_params_default(model);
    params.beam_size = MIN(params.beam_size, 3);
    params.max_length = MIN(params.max_length, 6);
    params.min_length = MIN(params.min_length, params.max_length);
    mt_translation *translation =
        mt_session_translate(session, "the dog is here", &params, NULL, &error);
    g_assert(translation || error.message[0]);
    if (translation)
      capture_and_look(session, translation);
    mt_translation_unref(translation);
  }
}

void
fuzz_open_and_use(const char *path)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(path, NULL, &error);
  /* Either a model or a sentence that says why not. */
  g_assert((model != NULL) == (error.code == MT_OK));
  g_assert(model || g_utf8_validate(error.message, -1, NULL));
  if (model)
    use(model);
}

uint32_t
fuzz_random(uint32_t *state, uint32_t below)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) % below;
}
