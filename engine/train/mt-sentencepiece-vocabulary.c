/* mt-sentencepiece-vocabulary.c — vocab.json of a SentencePiece model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "mt/train/sentencepiece.h"
#include "text/mt-sentencepiece.h"

typedef struct {
  mt_json_out *out;
  int64_t n;
} Pieces;

static bool
put_piece(void *user, const char *piece, size_t n)
{
  Pieces *pieces = user;
  (void) n;
  mt_json_put_whole(pieces->out, piece, pieces->n++);
  return true;
}

char *
mt_spm_vocabulary(const void *model, size_t n_model, const char *label, size_t *n, mt_error *error)
{
  mt_spm *spm = mt_spm_new(model, n_model, label, error);
  if (!spm)
    return NULL;
  mt_json_out out = {0};
  Pieces pieces = {.out = &out};
  mt_json_begin(&out, NULL, '{');
  mt_spm_each(spm, put_piece, &pieces);
  mt_json_put_whole(&out, "<pad>", pieces.n);
  mt_json_end(&out);
  mt_spm_free(spm);
  char *text = mt_json_finish(&out, "\n", error) ? out.text : NULL;
  *n = out.n;
  out.text = NULL; /* the caller's */
  mt_json_out_clear(&out);
  return text;
}

void
mt_spm_free_bytes(unsigned char *bytes)
{
  mt_free(bytes);
}
