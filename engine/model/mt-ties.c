/* mt-ties.c — which tensors of a checkpoint are the embeddings and the output matrix.
 *
 * The paper, section 3.4, has one matrix for all three. transformers before release 5 stores a tied
 * matrix once, or under all of its names. Release 5 ties nothing if the configuration says
 * "tie_word_embeddings": false: then `shared` is one more matrix that nobody reads, beside an
 * embedding for each stack. If it is true and the numbers differ, transformers takes them as they
 * are, with a warning; here that is an error, since one of the two is wrong.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-ties.h"

#include "base/mt-error.h"

#include <string.h>

#define CHUNK ((size_t) 4 << 20) /* bytes that are compared before memory is given back */

/* Where a matrix is, if it is there. */
typedef struct {
  size_t index;
  bool is_there;
} place;

typedef struct {
  mt_container *container;
  const mt_names *names;
  const mt_dir *dir;
  mt_error *error;
} finder;

static place
look(const finder *f, const char *name)
{
  place p = {0};
  p.is_there = name && mt_container_find(f->container, name, &p.index);
  return p;
}

static bool
fail_missing(const finder *f, const char *name)
{
  return mt_fail(f->error, MT_ERROR_FORMAT,
                 "%s/%s: expected tensor \"%.200s\", found no such tensor.", f->dir->name,
                 f->container->file, name);
}

/* *same: whether two tensors have the same shape, type and bytes. False on failure. */
static bool
compare(const finder *f, size_t a, size_t b, bool *same)
{
  const mt_container *container = f->container;
  const mt_container_tensor *x = &container->tensors[a], *y = &container->tensors[b];
  size_t n_dims = x->info.n_dims;
  *same = x->dtype == y->dtype && n_dims == y->info.n_dims &&
          memcmp(x->info.shape, y->info.shape, n_dims * sizeof *x->info.shape) == 0;
  if (!*same || x->dtype == MT_DTYPE_OTHER || a == b)
    return true;
  const unsigned char *p = container->format->data(f->container, a, f->error);
  const unsigned char *q = p ? container->format->data(f->container, b, f->error) : NULL;
  if (!q)
    return false;
  const size_t n = p == q ? 0 : x->n_elements * mt_dtype_size(x->dtype);
  for (size_t i = 0; *same && i < n; i += CHUNK) {
    size_t size = n - i < CHUNK ? n - i : CHUNK;
    *same = memcmp(p + i, q + i, size) == 0;
    if (container->format->drop && container->format->is_mapped &&
        container->format->is_mapped(f->container, b))
      container->format->drop(f->container, b, i, size);
  }
  return true;
}

/* What the configuration ties must be the same where the file has it more than once. */
static bool
check_tied(const finder *f, const place *places, size_t n)
{
  const mt_container_tensor *tensors = f->container->tensors;
  const place *first = NULL;
  for (size_t i = 0; i < n; i++) {
    bool same = true;
    if (!places[i].is_there)
      continue;
    if (first && !compare(f, first->index, places[i].index, &same))
      return false;
    if (!same)
      return mt_fail(f->error, MT_ERROR_FORMAT,
                     "%s/%s: expected \"%.200s\" and \"%.200s\" to be the same matrix, since %s "
                     "says %s, found matrices that differ.",
                     f->dir->name, tensors[places[i].index].info.file,
                     tensors[first->index].info.name, tensors[places[i].index].info.name,
                     f->names->shape_from, f->names->ties);
    first = first ? first : &places[i];
  }
  return true;
}

/* The first that is there. */
static place
first_of(const place *places, size_t n)
{
  size_t i = 0;
  while (i + 1 < n && !places[i].is_there)
    i++;
  return places[i];
}

bool
mt_ties_find(mt_ties *ties, mt_config *config, mt_container *container, const mt_names *names,
             const mt_dir *dir, mt_error *error)
{
  const finder f = {container, names, dir, error};
  const bool shares = config->share_embeddings, tied = config->tie_word_embeddings;
  const place none = {0};
  const place shared = shares ? look(&f, names->shared) : none,
              source = look(&f, names->embeddings[MT_STACK_ENCODER]),
              target = look(&f, names->embeddings[MT_STACK_DECODER]);
  place output = look(&f, names->output);
  /* The one that others may be tied to; [d][vocab] is no embedding. */
  const place tie = tied ? output : none;

  if (shares && (tied || !names->has_spare_shared)) {
    if (!check_tied(&f, (const place[]){shared, source, target, tie}, 4))
      return false;
  } else if (tied && !check_tied(&f, (const place[]){target, tie}, 2)) {
    return false;
  }

  place embeddings[MT_N_STACKS] = {
      shares ? first_of((const place[]){source, shared, target, tie}, 4) : source,
      shares ? first_of((const place[]){target, shared, source, tie}, 4)
             : first_of((const place[]){target, tie}, 2),
  };
  for (int s = 0; s < MT_N_STACKS; s++)
    if (!embeddings[s].is_there)
      return fail_missing(&f, shares ? names->shared : names->embeddings[s]);
  if (shares) {
    bool same = true;
    if (!compare(&f, embeddings[0].index, embeddings[1].index, &same))
      return false;
    config->share_embeddings = same;
    embeddings[1] = same ? embeddings[0] : embeddings[1];
  }
  ties->is_in_out = false;
  if (tied) {
    output = embeddings[MT_STACK_DECODER];
  } else if (!output.is_there) {
    output = look(&f, names->output_in_out);
    ties->is_in_out = output.is_there;
  }
  if (!output.is_there)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s/%s: expected tensor \"%.200s\", since %s says %s, found no such tensor.",
                   dir->name, container->file, names->output, names->shape_from, names->no_tie);
  for (int s = 0; s < MT_N_STACKS; s++)
    ties->embeddings[s] = embeddings[s].index;
  ties->output = output.index;
  return true;
}
