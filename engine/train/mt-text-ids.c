/* mt-text-ids.c — sentences to ids, for training: SentencePiece, a vocabulary, </s>.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"
#include "files/mt-json.h"
#include "model/mt-config.h"
#include "mt/train/text.h"
#include "text/mt-sentencepiece.h"
#include "text/mt-vocab.h"

#include <stdio.h>
#include <string.h>

#define SPM_BYTES_MAX (256 << 20)

static const char *const spm_files[MT_N_STACKS] = {"source.spm", "target.spm"};
static const char *const vocab_files[MT_N_STACKS] = {"vocab.json", "target_vocab.json"};

struct mt_text_ids {
  mt_spm *spm[MT_N_STACKS];
  mt_vocab *vocab[MT_N_STACKS]; /* the same twice if there is one */
  int32_t pad;
};

/* ---- Opening --------------------------------------------------------------------------------- */

static mt_spm *
open_spm(const mt_dir *dir, const char *file, mt_error *error)
{
  mt_mapping mapping;
  char label[600];
  if (!mt_dir_map(dir, file, SPM_BYTES_MAX, &mapping, error))
    return NULL;
  snprintf(label, sizeof label, "%.500s/%s", dir->name, file);
  mt_spm *spm = mt_spm_new(mapping.bytes, mapping.size, label, error);
  mt_unmap(&mapping);
  return spm;
}

/* One more than the largest id of a vocabulary. */
static bool
count_ids(const mt_dir *dir, const char *file, size_t *size, mt_error *error)
{
  mt_piece_list list = {0};
  bool ok = mt_piece_list_read(&list, dir, file, MT_CONFIG_MAX_VOCAB, "a tokenizer", error);
  *size = 0;
  for (size_t i = 0; ok && i < list.n; i++)
    if ((size_t) list.pairs[i].id >= *size)
      *size = (size_t) list.pairs[i].id + 1;
  mt_piece_list_clear(&list);
  return ok;
}

/* How many ids each side has: config.json says, if it is there. */
static bool
find_sizes(const mt_dir *dir, bool separate, size_t sizes[MT_N_STACKS], mt_error *error)
{
  if (mt_dir_has(dir, "config.json")) {
    mt_config config = {0};
    mt_text_kind kind;
    if (!mt_config_load(&config, &kind, dir, error))
      return false;
    memcpy(sizes, config.vocab_size, sizeof config.vocab_size);
    mt_config_clear(&config);
    return true;
  }
  return count_ids(dir, vocab_files[0], &sizes[0], error) &&
         count_ids(dir, vocab_files[separate], &sizes[1], error);
}

static bool
open_vocab(mt_text_ids *ids, const mt_dir *dir, mt_stack side, size_t size, mt_error *error)
{
  const mt_vocab_shape shape = {.size = size, .from = "config.json"};
  ids->vocab[side] = mt_vocab_load(dir, vocab_files[side], &shape, error);
  if (!ids->vocab[side])
    return false;
  int32_t pad = mt_vocab_find(ids->vocab[side], "<pad>", strlen("<pad>"));
  if (pad < 0)
    return mt_fail(error, MT_ERROR_FORMAT, "%s/%s: expected the piece \"<pad>\", found none.",
                   dir->name, vocab_files[side]);
  if (side == MT_STACK_DECODER && (pad != ids->pad || ids->vocab[0]->eos != ids->vocab[1]->eos ||
                                   ids->vocab[0]->unk != ids->vocab[1]->unk))
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected <pad>, </s> and <unk> to have the same ids in both vocabularies, "
                   "found others.",
                   dir->name);
  ids->pad = pad;
  return true;
}

static bool
open_all(mt_text_ids *ids, const mt_dir *dir, mt_error *error)
{
  bool separate = mt_dir_has(dir, vocab_files[MT_STACK_DECODER]);
  size_t sizes[MT_N_STACKS];
  if (!find_sizes(dir, separate, sizes, error) ||
      !open_vocab(ids, dir, MT_STACK_ENCODER, sizes[0], error))
    return false;
  if (!separate && sizes[0] != sizes[1])
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/config.json: expected one size of the shared vocabulary, found %zu and %zu.",
                   dir->name, sizes[0], sizes[1]);
  if (!separate)
    ids->vocab[1] = ids->vocab[0];
  else if (!open_vocab(ids, dir, MT_STACK_DECODER, sizes[1], error))
    return false;
  for (int s = 0; s < MT_N_STACKS; s++) {
    ids->spm[s] = open_spm(dir, spm_files[s], error);
    if (!ids->spm[s])
      return false;
  }
  return true;
}

mt_text_ids *
mt_text_ids_open(const char *folder, mt_error *error)
{
  mt_dir dir = MT_DIR_NONE;
  mt_text_ids *ids = mt_alloc(1, sizeof *ids);
  if (!ids)
    return mt_fail_no_memory(error), NULL;

  bool ok = mt_dir_open_as(&dir, folder, "a folder of prepared text", NULL, error) &&
            open_all(ids, &dir, error);
  mt_dir_close(&dir);
  if (ok)
    return ids;
  mt_text_ids_free(ids);
  return NULL;
}

void
mt_text_ids_free(mt_text_ids *ids)
{
  if (!ids)
    return;
  for (int s = 0; s < MT_N_STACKS; s++)
    mt_spm_free(ids->spm[s]);
  if (ids->vocab[1] != ids->vocab[0])
    mt_vocab_free(ids->vocab[1]);
  mt_vocab_free(ids->vocab[0]);
  mt_free(ids);
}

size_t
mt_text_ids_vocab_size(const mt_text_ids *ids, mt_stack side)
{
  return ids->vocab[side]->size;
}

bool
mt_text_ids_separate(const mt_text_ids *ids)
{
  return ids->vocab[0] != ids->vocab[1];
}

int32_t
mt_text_ids_pad(const mt_text_ids *ids)
{
  return ids->pad;
}

int32_t
mt_text_ids_eos(const mt_text_ids *ids)
{
  return ids->vocab[0]->eos;
}

int32_t
mt_text_ids_unk(const mt_text_ids *ids)
{
  return ids->vocab[0]->unk;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* Of one sentence, or of several segmentations of it, one after the other. */
typedef struct {
  const mt_vocab *vocab;
  int32_t *out;       /* [capacity] of the present one */
  size_t n, capacity; /* n: of the present one */
  size_t *n_ids;      /* of the present one, when it is done */
} encoding;

static void
put(encoding *e, int32_t id)
{
  if (e->n < e->capacity)
    e->out[e->n] = id;
  e->n++;
}

static bool
take_piece(void *user, const char *piece, size_t n, size_t begin, size_t end)
{
  encoding *e = user;
  int32_t id = mt_vocab_find(e->vocab, piece, n);
  put(e, id < 0 ? e->vocab->unk : id);
  return true;
}

static void
finish(encoding *e)
{
  put(e, e->vocab->eos);
  *e->n_ids = e->n;
}

bool
mt_text_ids_encode(const mt_text_ids *ids, mt_stack side, const char *text, size_t n, int32_t *out,
                   size_t capacity, size_t *n_ids, mt_error *error)
{
  encoding e = {.vocab = ids->vocab[side], .out = out, .capacity = capacity, .n_ids = n_ids};
  if (n > 0 && !mt_spm_encode(ids->spm[side], text, n, take_piece, &e, error))
    return false;
  finish(&e);
  return true;
}

static void
begin_draw(void *user, size_t k)
{
  encoding *e = user;
  if (k == 0)
    return;
  finish(e);
  e->out += e->capacity;
  e->n_ids++;
  e->n = 0;
}

bool
mt_text_ids_draw(const mt_text_ids *ids, mt_stack side, const char *text, size_t n,
                 const mt_spm_draws *draws, int32_t *out, size_t capacity, size_t *n_ids,
                 mt_error *error)
{
  encoding e = {.vocab = ids->vocab[side], .out = out, .capacity = capacity, .n_ids = n_ids};
  if (!mt_spm_draw(ids->spm[side], text, n, draws, begin_draw, take_piece, &e, error))
    return false;
  finish(&e);
  return true;
}

/* ---- vocab.json of a SentencePiece model ----------------------------------------------------- */

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
  char *text = mt_json_take(&out, "\n", error);
  *n = text ? strlen(text) : 0;
  return text;
}

void
mt_spm_free_bytes(unsigned char *bytes)
{
  mt_free(bytes);
}
