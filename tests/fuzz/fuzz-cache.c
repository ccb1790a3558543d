/* fuzz-cache.c — a cache of rounded weights: the first byte says in which precision, the rest is
 * the file, whose check sum is made right. What is let through is multiplied with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-dtype.h"
#include "fuzz.h"
#include "kernels/mt-kernels.h"
#include "model/mt-cache.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N_OUT 20
#define N_IN  70

static const struct {
  mt_precision precision, form;
} precisions[] = {
    {MT_PRECISION_F16, MT_PRECISION_F16},
    {MT_PRECISION_BF16_ALL, MT_PRECISION_BF16},
    {MT_PRECISION_INT8_ALL, MT_PRECISION_INT8},
};
#define N_PRECISIONS G_N_ELEMENTS(precisions)

enum { INT8_OUT = MT_INT8_PANELS(N_OUT) * MT_INT8_PANEL, INT8_IN = MT_INT8_STRIDE(N_IN) };

static char *folder;
static char *paths[N_PRECISIONS];
static mt_cache_matrix matrices[N_PRECISIONS];
static mt_cache_key keys[N_PRECISIONS];

static bool
go_on(void *user, size_t n_bytes)
{
  return true;
}

static void
clean_up(void)
{
  for (guint i = 0; i < N_PRECISIONS; i++) {
    g_unlink(paths[i]);
    g_free(paths[i]);
  }
  g_rmdir(folder);
  g_free(folder);
}

/* Where the cache of a key lies is found by writing it. */
static void
set_up(void)
{
  folder = g_dir_make_tmp("fuzz-cache-XXXXXX", NULL);
  for (guint i = 0; i < N_PRECISIONS; i++) {
    const bool is_int8 = precisions[i].form == MT_PRECISION_INT8;
    const size_t n_bytes = is_int8 ? INT8_OUT * (INT8_IN + 8) : 2 * MT_PANELS_SIZE(N_OUT, N_IN);
    mt_error error = {0};
    g_autofree char *zeros = g_malloc0(n_bytes);
    matrices[i] = (mt_cache_matrix){.n_out = N_OUT, .n_in = N_IN, .n_bytes = n_bytes};
    keys[i] = (mt_cache_key){.folder = folder,
                             .directory = "fuzz",
                             .precision = precisions[i].precision,
                             .form = precisions[i].form,
                             .source = 1,
                             .matrices = &matrices[i],
                             .n_matrices = 1,
                             .n_bytes = n_bytes};
    g_assert_true(mt_cache_write(&keys[i], zeros, go_on, NULL, &error));
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    const char *name;
    while (!paths[i] && (name = g_dir_read_name(names))) {
      paths[i] = g_build_filename(folder, name, NULL);
      for (guint k = 0; k < i; k++)
        if (paths[i] && g_str_equal(paths[i], paths[k]))
          g_clear_pointer(&paths[i], g_free);
    }
  }
  atexit(clean_up);
}

/* Whoever changes a file can add it up as well. */
static void
add_up(const mt_cache_key *key, uint8_t *bytes, size_t size)
{
  mt_cache_head head;
  if (size < sizeof head || size < key->n_bytes)
    return;
  memcpy(&head, bytes, sizeof head);
  head.sum = mt_cache_sum(mt_cache_sum(0, key->matrices, sizeof *key->matrices),
                          bytes + size - key->n_bytes, key->n_bytes);
  memcpy(bytes, &head, sizeof head);
}

static void
use_int8(const char *data)
{
  const mt_kernels_int8 *kernels;
  const mt_int8_weights weights = {
      .panels = (const int8_t *) data,
      .scales = (const float *) (const void *) (data + INT8_OUT * INT8_IN),
      .offsets = (const int32_t *) (const void *) (data + INT8_OUT * (INT8_IN + 4)),
  };
  float x[N_IN], y[N_OUT], scale;
  for (size_t i = 0; i < N_IN; i++)
    x[i] = (float) i - 31;
  for (size_t t = 0; (kernels = mt_kernels_int8_get(t)); t++) {
    _Alignas(64) uint8_t row[INT8_IN];
    scale = kernels->quantize(row, x, N_IN, false);
    kernels->linear(y, N_OUT, row, &scale, 1, &weights, NULL, 0, N_OUT, INT8_IN);
    for (size_t i = 0; i < N_OUT; i++)
      fuzz_sink += isfinite(weights.scales[i]) ? y[i] : NAN;
  }
}

static void
use(const mt_cache_key *key, const char *data)
{
  float values[64];
  const mt_dtype dtype = key->form == MT_PRECISION_F16 ? MT_DTYPE_F16 : MT_DTYPE_BF16;
  g_assert_cmpuint((guintptr) data % sizeof(float), ==, 0);
  if (key->form == MT_PRECISION_INT8) {
    use_int8(data);
    return;
  }
  for (size_t i = 0; i + sizeof values / 2 <= key->n_bytes; i += sizeof values / 2) {
    g_assert_true(mt_dtype_to_float(dtype, data + i, values, G_N_ELEMENTS(values)));
    fuzz_sink += values[0];
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0)
    return -1;
  if (!folder)
    set_up();
  const guint i = data[0] % N_PRECISIONS;
  const mt_cache_key *key = &keys[i];
  g_autofree uint8_t *bytes = g_malloc(size);
  memcpy(bytes, data + 1, size - 1);
  add_up(key, bytes, size - 1);
  FILE *file = fopen(paths[i], "wb");
  g_assert_cmpuint(fwrite(bytes, 1, size - 1, file), ==, size - 1);
  g_assert_cmpint(fclose(file), ==, 0);
  mt_mapping mapping = {0};
  const char *mapped;
  if (mt_cache_map(key, NULL, &mapping, &mapped))
    use(key, mapped);
  mt_unmap(&mapping);
  return 0;
}
