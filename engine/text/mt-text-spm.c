/* mt-text-spm.c — text through SentencePiece.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "text/mt-text.h"

#include <stdio.h>
#include <string.h>

#define SPM_BYTES_MAX (256 << 20)

/* ---- Opening --------------------------------------------------------------------------------- */

static mt_spm *
load_spm(const mt_dir *dir, const char *file, const mt_mapping *mapping, mt_error *error)
{
  char label[600];
  snprintf(label, sizeof label, "%.500s/%s", dir->name, file);
  if (mt_wrong_file_is_known(mapping->bytes, mapping->size)) {
    mt_wrong_file_fail(label, "a SentencePiece model", mapping->bytes, mapping->size, error);
    return NULL;
  }
  return mt_spm_new(mapping->bytes, mapping->size, label, error);
}

bool
mt_text_open_spms(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  const char *source_file = spec->spm_files[MT_STACK_ENCODER];
  const char *target_file = spec->spm_files[MT_STACK_DECODER];
  mt_mapping source = {0}, target = {0};
  bool ok = mt_dir_map(dir, source_file, SPM_BYTES_MAX, &source, error) &&
            mt_dir_map(dir, target_file, SPM_BYTES_MAX, &target, error);
  if (ok) {
    text->spm[MT_STACK_ENCODER] = load_spm(dir, source_file, &source, error);
    ok = text->spm[MT_STACK_ENCODER] != NULL;
  }
  if (ok) {
    bool equal = source.size == target.size && memcmp(source.bytes, target.bytes, source.size) == 0;
    text->spm[MT_STACK_DECODER] =
        equal ? text->spm[MT_STACK_ENCODER] : load_spm(dir, target_file, &target, error);
    ok = text->spm[MT_STACK_DECODER] != NULL;
  }
  mt_unmap(&source);
  mt_unmap(&target);
  return ok;
}

/* ---- Text to ids ----------------------------------------------------------------------------- */

typedef struct {
  const mt_text *text;
  mt_stack side;
  mt_text_visit visit;
  void *user;
  mt_error *error;
} splitter;

static bool
take_piece(void *user, const char *piece, size_t n, size_t begin, size_t end)
{
  const splitter *s = user;
  int32_t id;
  return mt_text_find_id(s->text, s->side, piece, n, &id, s->error) &&
         s->visit(s->user, id, begin, end);
}

bool
mt_text_spm_split(const mt_text *text, mt_stack side, const char *bytes, size_t n,
                  mt_text_visit visit, void *user, mt_error *error)
{
  splitter s = {.text = text, .side = side, .visit = visit, .user = user, .error = error};
  return mt_spm_encode(text->spm[side], bytes, n, take_piece, &s, error);
}

/* ---- Ids to text ----------------------------------------------------------------------------- */

#define WORD_SPACE "\xe2\x96\x81" /* "▁", SentencePiece's visible space */

typedef struct {
  mt_surface_visit visit;
  void *user;
  char *surface; /* of one piece */
  size_t capacity;
  mt_error *error;
} joiner;

/* "▁" is a space that SentencePiece has left in a piece. */
static bool
take_surface(void *user, const char *surface, size_t n, size_t begin, size_t end)
{
  (void) begin;
  (void) end;
  joiner *j = user;
  const size_t space = strlen(WORD_SPACE);
  size_t length = 0;
  if (!mt_grow(&j->surface, 0, n + 1, &j->capacity, 1))
    return mt_fail_no_memory(j->error);
  for (size_t i = 0; i < n;) {
    bool is_space = n - i >= space && memcmp(surface + i, WORD_SPACE, space) == 0;
    j->surface[length++] = is_space ? ' ' : surface[i];
    i += is_space ? space : 1;
  }
  return j->visit(j->user, j->surface, length);
}

bool
mt_text_spm_join(const mt_text *text, mt_stack side, const int32_t *ids, size_t n,
                 mt_surface_visit visit, void *user, mt_error *error)
{
  const char **pieces = mt_alloc(n, sizeof *pieces);
  if (!pieces)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < n; i++)
    pieces[i] = mt_vocab_piece(text->vocab[side], ids[i]);
  joiner j = {.visit = visit, .user = user, .error = error};
  bool ok = mt_spm_decode(text->spm[side], pieces, n, take_surface, &j, error);
  mt_free(j.surface);
  mt_free(pieces);
  return ok;
}
