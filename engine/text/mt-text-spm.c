/* mt-text-spm.c — text through SentencePiece, and the kinds whose ids are its own, or moved.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
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
  size_t word;  /* where the bytes begin that SentencePiece splits */
  size_t first; /* where its first piece begins: white space belongs to the word after it */
  bool is_first;
  mt_text_visit visit;
  void *user;
  mt_error *error;
} splitter;

static bool
take_piece(void *user, const char *piece, size_t n, size_t begin, size_t end)
{
  splitter *s = user;
  int32_t id;
  begin = s->is_first && begin == 0 ? s->first : s->word + begin;
  s->is_first = false;
  return mt_text_find_id(s->text, s->side, piece, n, &id, s->error) &&
         s->visit(s->user, id, begin, s->word + end);
}

/* Bytes that are cut out, or of other text, from a place on. */
static size_t
run_at(const char *bytes, size_t n, mt_text_cuts cuts, bool is_cut)
{
  size_t i = 0, length;
  while (i < n && (length = mt_utf8_length_at(bytes + i, n - i)) > 0 &&
         (cuts == MT_TEXT_CUTS_LINES ? bytes[i] == '\n' : mt_utf8_is_space(bytes + i, length)) ==
             is_cut)
    i += length;
  return i;
}

bool
mt_text_spm_split(const mt_text *text, mt_stack side, const char *bytes, size_t n,
                  mt_text_visit visit, void *user, mt_error *error)
{
  splitter s = {.text = text, .side = side, .visit = visit, .user = user, .error = error};
  if (text->cuts == MT_TEXT_CUTS_NOTHING)
    return mt_spm_encode(text->spm[side], bytes, n, take_piece, &s, error);
  bool ok = true;
  for (size_t at = 0; ok && at < n;) {
    s.first = at;
    s.is_first = true;
    s.word = at + run_at(bytes + at, n - at, text->cuts, true);
    at = s.word + run_at(bytes + s.word, n - s.word, text->cuts, false);
    ok = at == s.word ||
         mt_spm_encode(text->spm[side], bytes + s.word, at - s.word, take_piece, &s, error);
  }
  return ok;
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

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* The pieces of a model as they come, with the ids that a kind gives them. */
typedef struct {
  mt_piece_list *list;
  size_t n;      /* so far */
  size_t passed; /* the first ones, which the kind calls by other names */
  size_t offset; /* from the number of a piece to its id */
  size_t size;
  const char *label;
  mt_error *error;
} numbering;

static bool
take_numbered(void *user, const char *piece, size_t n)
{
  numbering *m = user;
  size_t number = m->n++, id = number + m->offset;
  if (number < m->passed)
    return true;
  if (n > MT_TEXT_PIECE_MAX)
    return mt_fail(m->error, MT_ERROR_FORMAT,
                   "%s: expected pieces of at most %d bytes, found one of %zu.", m->label,
                   MT_TEXT_PIECE_MAX, n);
  if (id >= m->size)
    return mt_fail(
        m->error, MT_ERROR_FORMAT,
        "%s: expected pieces with ids below the vocabulary size %zu of config.json, found "
        "more.",
        m->label, m->size);
  return mt_piece_list_add(m->list, piece, n, (int32_t) id, m->error);
}

/* Which ids a kind has besides its pieces. */
typedef struct {
  const char *const *first; /* names of the first ids */
  size_t n_first;
  size_t passed, offset;
  bool (*add)(mt_text *text, size_t n_pieces, const mt_tokenizer_spec *spec, mt_error *error);
} id_plan;

static bool
open_planned(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, const id_plan *plan,
             mt_error *error)
{
  const char *file = spec->spm_files[MT_STACK_ENCODER];
  char label[600];
  snprintf(label, sizeof label, "%.300s/%.290s", dir->name, file);
  mt_piece_list list = {0};
  numbering m = {.list = &list,
                 .passed = plan->passed,
                 .offset = plan->offset,
                 .size = spec->shapes[0].size,
                 .label = label,
                 .error = error};
  bool ok = mt_text_load_added(text, dir, spec, error) && mt_text_open_spms(text, dir, spec, error);
  if (ok && m.size < plan->n_first)
    ok = mt_fail(error, MT_ERROR_FORMAT, "%s: expected a vocabulary of at least %zu, found %zu.",
                 label, plan->n_first, m.size);
  for (size_t i = 0; ok && i < plan->n_first; i++)
    ok = mt_piece_list_add(&list, plan->first[i], strlen(plan->first[i]), (int32_t) i, error);
  ok = ok && mt_spm_each(text->spm[MT_STACK_ENCODER], take_numbered, &m) &&
       plan->add(text, m.n, spec, error) &&
       mt_text_take_pieces(text, &list, dir, file, spec, error);
  mt_piece_list_clear(&list);
  return ok;
}

/* ---- T5 -------------------------------------------------------------------------------------- */

#define N_EXTRA 100

/* "<extra_id_0>" is the last of a hundred behind the pieces, if there is room for them. */
static bool
add_extra(mt_text *text, size_t n_pieces, const mt_tokenizer_spec *spec, mt_error *error)
{
  if (n_pieces + N_EXTRA > spec->shapes[0].size || mt_text_has_id(text, "<extra_id_0>"))
    return true;
  for (size_t i = 0; i < N_EXTRA; i++) {
    char name[32];
    snprintf(name, sizeof name, "<extra_id_%zu>", i);
    if (!mt_added_tokens_add(&text->added, name, (int32_t) (n_pieces + N_EXTRA - 1 - i), false,
                             error))
      return false;
  }
  return true;
}

static bool
open_own(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  return open_planned(text, dir, spec, &(id_plan){.add = add_extra}, error);
}

const mt_text_row mt_text_spm_own = {
    .name = "SentencePiece with its own ids",
    .open = open_own,
    .split = mt_text_spm_split,
    .join = mt_text_spm_join,
};

/* ---- mBART, NLLB ----------------------------------------------------------------------------- */

/* Behind the pieces come the languages, and the mask. */
static bool
add_fairseq(mt_text *text, size_t n_pieces, const mt_tokenizer_spec *spec, mt_error *error)
{
  size_t first = n_pieces + 1, size = spec->shapes[0].size, n = 0;
  return mt_text_add_languages(text, false, first, size, &n, error) &&
         (n == 0 || first + n >= size ||
          mt_added_tokens_add(&text->added, "<mask>", (int32_t) (first + n), true, error));
}

static bool
open_fairseq(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  static const char *const first[] = {"<s>", "<pad>", "</s>", "<unk>"};
  const id_plan plan = {first, 4, .passed = 3, .offset = 1, .add = add_fairseq};
  return open_planned(text, dir, spec, &plan, error);
}

const mt_text_row mt_text_spm_fairseq = {
    .name = "SentencePiece with the ids of fairseq",
    .open = open_fairseq,
    .split = mt_text_spm_split,
    .join = mt_text_spm_join,
};

/* ---- Pegasus --------------------------------------------------------------------------------- */

#define PEGASUS_OFFSET 103
#define PEGASUS_FIRST  2 /* pieces that stay where they are: <pad> and </s> */

/* "<mask_1>", "<mask_2>", "<unk_2>" … "<unk_102>" between the two first pieces and the others. */
static bool
add_masks(mt_text *text, size_t n_pieces, const mt_tokenizer_spec *spec, mt_error *error)
{
  (void) n_pieces;
  (void) spec;
  for (int32_t id = PEGASUS_FIRST; id < PEGASUS_FIRST + PEGASUS_OFFSET; id++) {
    char name[32];
    snprintf(name, sizeof name, id < 4 ? "<mask_%d>" : "<unk_%d>", id < 4 ? id - 1 : id - 2);
    if (!mt_added_tokens_add(&text->added, name, id, false, error))
      return false;
  }
  return true;
}

static bool
open_offset(mt_text *text, const mt_dir *dir, const mt_tokenizer_spec *spec, mt_error *error)
{
  static const char *const first[] = {"<pad>", "</s>"};
  const id_plan plan = {first, PEGASUS_FIRST, .passed = PEGASUS_FIRST, .offset = PEGASUS_OFFSET,
                        .add = add_masks};
  return open_planned(text, dir, spec, &plan, error);
}

const mt_text_row mt_text_spm_offset = {
    .name = "SentencePiece behind the ids of Pegasus",
    .open = open_offset,
    .split = mt_text_spm_split,
    .join = mt_text_spm_join,
};
