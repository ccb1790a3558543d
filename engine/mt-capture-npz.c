/* mt-capture-npz.c — a whole capture as one .npz archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-capture.h"

#include "mt-alloc.h"
#include "mt-error.h"
#include "mt-tokens.h"

enum { MAX_ARRAYS = 24 };

/* The arrays collected so far, and the string lists made for them. */
typedef struct {
  mt_npz_array arrays[MAX_ARRAYS];
  size_t n;
  const char **lists[3];
  size_t n_lists;
} archive;

static void
add_floats(archive *out, const char *name, const float *data, size_t n_dims, const size_t *shape)
{
  mt_npz_array *array = &out->arrays[out->n++];
  *array = (mt_npz_array){.name = name, .n_dims = n_dims, .f32 = data};
  for (size_t i = 0; i < n_dims; i++)
    array->shape[i] = shape[i];
}

static void
add_kind(archive *out, const mt_capture_kind *kind, const char *weights_name,
         const char *scores_name)
{
  if (!kind->n_layers)
    return;
  size_t shape[4] = {kind->n_layers, kind->n_heads, kind->rows, kind->cols};
  add_floats(out, weights_name, kind->weights, 4, shape);
  if (kind->scores)
    add_floats(out, scores_name, kind->scores, 4, shape);
}

/* Ids and pieces of one token list. */
static bool
add_tokens(archive *out, const mt_tokens *tokens, const char *ids_name, const char *pieces_name)
{
  if (!tokens)
    return true;
  size_t n = mt_tokens_count(tokens);
  const char **pieces = mt_alloc(n, sizeof *pieces);
  if (!pieces)
    return false;
  for (size_t i = 0; i < n; i++)
    pieces[i] = mt_tokens_get(tokens, i)->piece;
  out->lists[out->n_lists++] = pieces;
  out->arrays[out->n++] =
      (mt_npz_array){.name = ids_name, .n_dims = 1, .shape = {n}, .i32 = mt_tokens_ids(tokens)};
  out->arrays[out->n++] =
      (mt_npz_array){.name = pieces_name, .n_dims = 1, .shape = {n}, .strings = pieces};
  return true;
}

static void
add_positions(archive *out, const mt_capture *capture)
{
  mt_matrix source = mt_capture_positions(capture, MT_STACK_ENCODER);
  mt_matrix target = mt_capture_positions(capture, MT_STACK_DECODER);
  mt_matrix longer = target.rows > source.rows ? target : source;
  const struct {
    const char *name;
    mt_matrix m;
  } matrices[] = {{"encoder_positions", source},
                  {"decoder_positions", target},
                  {"positions", longer}};
  for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
    if (matrices[i].m.data)
      add_floats(out, matrices[i].name, matrices[i].m.data, 2,
                 (size_t[]){matrices[i].m.rows, matrices[i].m.cols});
}

bool
mt_capture_write_npz(const mt_capture *capture, const char *path, const char *meta_json,
                     mt_error *error)
{
  archive out = {.n = 0};
  add_kind(&out, &capture->kinds[MT_ENCODER_SELF], "encoder_attentions", "encoder_scores");
  add_kind(&out, &capture->kinds[MT_DECODER_SELF], "decoder_attentions", "decoder_scores");
  add_kind(&out, &capture->kinds[MT_CROSS], "cross_attentions", "cross_scores");
  add_positions(&out, capture);
  if (capture->output)
    add_floats(&out, "logprobs", capture->logprobs, 1,
               (size_t[]){mt_tokens_count(capture->output)});
  bool ok = add_tokens(&out, capture->source, "source_ids", "source_tokens") &&
            add_tokens(&out, capture->decoder_input, "decoder_input_ids", "decoder_input_tokens") &&
            add_tokens(&out, capture->output, "output_ids", "output_tokens");
  const char *meta[] = {meta_json ? meta_json : "{}"};
  out.arrays[out.n++] = (mt_npz_array){.name = "meta", .strings = meta};

  ok = ok ? mt_npz_write(path, out.arrays, out.n, error) : mt_fail_no_memory(error);
  for (size_t i = 0; i < out.n_lists; i++)
    mt_free(out.lists[i]);
  return ok;
}
