/* fuzz-npz.c — NumPy arrays, alone (.npy) and in an archive (.npz): each is read as what it says
 * it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "files/mt-npy.h"
#include "files/mt-npz.h"
#include "files/mt-zip.h"
#include "fuzz.h"

/* Elements that are looked at from either end of an array. */
#define MOST 300

static void
look_at_element(const mt_npy *npy, size_t i)
{
  uint32_t code;
  int64_t whole;
  float number;
  switch (npy->type) {
  case MT_NPY_FLOAT:
    fuzz_sink += mt_npy_to_float(npy, i, 1, &number);
    break;
  case MT_NPY_STRING: {
    g_autofree char *text = g_malloc(npy->item_size + 1);
    if (mt_npy_to_utf8(npy, i, text, &code))
      g_assert(g_utf8_validate(text, -1, NULL));
    break;
  }
  default:
    fuzz_sink += mt_npy_to_int(npy, i, &whole);
  }
}

static void
look_at(const mt_npy *npy)
{
  char shape[64];
  fuzz_sink += mt_npy_shape(npy, shape, sizeof shape)[0];
  g_assert_cmpuint(npy->n_dims, <=, MT_NPY_MAX_DIMS);
  g_assert_cmpuint(npy->n_elements * npy->item_size, ==, npy->n_bytes);
  for (size_t i = 0; i < npy->n_elements; i++)
    if (i < MOST || i >= npy->n_elements - MOST)
      look_at_element(npy, i);
  if (npy->type == MT_NPY_FLOAT) {
    size_t n = MIN(npy->n_elements, 100000);
    g_autofree float *numbers = g_new(float, n + 1);
    fuzz_sink += mt_npy_to_float(npy, npy->n_elements - n, n, numbers);
  }
}

static void
read_npz(const uint8_t *data, size_t size)
{
  mt_error error = {0};
  mt_npz *npz = mt_npz_open(data, size, 4 << 20, "fuzz.npz", &error);
  g_assert(npz || error.message[0]);
  for (size_t i = 0; npz && i < npz->n; i++) {
    mt_npy npy;
    size_t found;
    g_assert(mt_npz_find(npz, npz->arrays[i].name, &found) && found == i);
    fuzz_sink += npz->arrays[i].label[0];
    error = (mt_error){0};
    bool ok = mt_npz_get(npz, i, &npy, &error);
    g_assert(ok || error.message[0]);
    if (ok)
      look_at(&npy);
    if (i % 2)
      mt_npz_drop(npz, i);
  }
  mt_npz_free(npz);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  mt_npy npy;
  mt_error error = {0};
  if (mt_zip_is_zip(data, size))
    read_npz(data, size);
  else if (mt_npy_parse(data, size, "fuzz.npy", &npy, &error))
    look_at(&npy);
  else
    g_assert(error.message[0]);
  return 0;
}
