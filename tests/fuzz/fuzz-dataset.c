/* fuzz-dataset.c — a prepared folder of which one file is the input: the first byte says which one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Size and check sum in the manifest are made right, unless the manifest is the input itself. What
 * is opened is read from end to end.
 */
#include "../train/small-dataset.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <string.h>

static const char *const files[] = {
    "manifest.json",      "train.source.npy", "train.source-offsets.npy",   "heldout.target.npy",
    "heldout.source.txt", "vocab.json",       "heldout.target-offsets.npy", NULL,
};

static char *folder;
static char *path;

static void
clean_up(void)
{
  small_remove(folder);
  g_free(path);
  fuzz_files_clear();
}

static void
set_up(void)
{
  folder = small_temporary();
  path = g_build_filename(folder, "prepared", NULL);
  small_write(path, 2, 2);
  fuzz_files_keep(path, files);
  atexit(clean_up);
}

static void
use(const mt_dataset *d)
{
  mt_error error = {0};
  const mt_dataset_info *info = mt_dataset_get_info(d);
  gsize n_pairs = 0;
  for (gsize i = 0; i < mt_dataset_count_sources(d); i++) {
    const mt_dataset_source *source = mt_dataset_get_source(d, i);
    fuzz_sink += source->weight + (double) strlen(source->name) + (double) strlen(source->note);
    g_assert_cmpuint(source->first_pair, ==, n_pairs);
    n_pairs += source->n_pairs;
  }
  g_assert_cmpuint(n_pairs, ==, mt_dataset_count(d, MT_DATASET_TRAIN));
  for (int p = 0; p < MT_DATASET_N_PARTS; p++)
    for (int s = 0; s < MT_N_STACKS; s++)
      for (gsize i = 0; i < mt_dataset_count(d, (mt_dataset_part) p); i++) {
        gsize n = mt_dataset_length(d, (mt_dataset_part) p, (mt_stack) s, i);
        g_assert(n >= 2 && n <= info->max_tokens);
        g_autofree int32_t *ids = g_new(int32_t, n);
        g_assert_true(mt_dataset_copy(d, (mt_dataset_part) p, (mt_stack) s, i, ids, n, &error));
        for (gsize k = 0; k < n; k++)
          g_assert(ids[k] >= 0 && (gsize) ids[k] < info->vocab_size[s] && ids[k] != info->pad_id &&
                   (ids[k] == info->eos_id) == (k + 1 == n));
      }
  for (int s = 0; s < MT_N_STACKS; s++)
    for (gsize i = 0; i < mt_dataset_count(d, MT_DATASET_HELDOUT); i++) {
      gsize n;
      const char *text = mt_dataset_get_text(d, (mt_stack) s, i, &n);
      g_assert(!memchr(text, '\n', n));
      g_assert(g_utf8_validate_len(text, n, NULL) || memchr(text, '\0', n));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0)
    return -1;
  if (!folder)
    set_up();
  guint i = fuzz_files_choose(data[0]);
  if (i == 0)
    fuzz_files_put(0, data + 1, size - 1);
  else
    small_replace(path, files[i], data + 1, size - 1);
  mt_error error = {0};
  mt_dataset *d = mt_dataset_open(path, &error);
  g_assert(d || error.message[0]);
  if (d)
    use(d);
  mt_dataset_free(d);
  fuzz_files_restore(i);
  fuzz_files_restore(0);
  return 0;
}
