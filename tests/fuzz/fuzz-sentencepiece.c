/* fuzz-sentencepiece.c — source.spm: loaded, then used both ways.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "text/mt-sentencepiece.h"

#include <string.h>

typedef struct {
  GPtrArray *pieces;
  size_t text_size, last; /* offsets never go back and lie in the text */
} encoded;

static bool
take_piece(void *user, const char *piece, size_t n, size_t begin, size_t end)
{
  encoded *e = user;
  g_assert(e->last <= begin && begin <= end && end <= e->text_size);
  e->last = end;
  g_ptr_array_add(e->pieces, g_strndup(piece, n));
  return true;
}

static bool
take_surface(void *user, const char *surface, size_t n, size_t begin, size_t end)
{
  g_assert(end - begin == n);
  fuzz_sink += n ? (unsigned char) surface[n - 1] : 0;
  return true;
}

static void
use(const mt_spm *spm, const char *text)
{
  mt_error error = {0};
  encoded e = {.pieces = g_ptr_array_new_with_free_func(g_free), .text_size = strlen(text)};
  bool ok = mt_spm_encode(spm, text, e.text_size, take_piece, &e, &error);
  g_assert(ok || error.message[0]);
  if (ok && e.pieces->len > 0)
    mt_spm_decode(spm, (const char *const *) e.pieces->pdata, e.pieces->len, take_surface, NULL,
                  &error);
  g_ptr_array_unref(e.pieces);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const texts[] = {
      "the dog is here.",
      " \xEF\xBC\xA1\xEF\xBD\x82 \xE2\x91\xA0 \xEF\xAC\x81 a\xCC\x88\xC3\x84 \xE3\x80\x80x  ",
      "\xF0\x9F\x90\x95\xE2\x96\x81<unk></s><s>\x01\xC2\xAD",
  };
  mt_error error = {0};
  mt_spm *spm = mt_spm_new(data, size, "fuzz/source.spm", &error);
  g_assert(spm || error.message[0]);
  for (gsize i = 0; spm && i < G_N_ELEMENTS(texts); i++)
    use(spm, texts[i]);
  mt_spm_free(spm);
  return 0;
}
