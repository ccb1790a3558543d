/* mt-constraints-text.c — constraints from words: the pieces that a translation would have for
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <mt/constraints.h>

/* Of the first n; for mt_free. NULL: there is no room. */
static int32_t *
new_ids(const mt_tokens *tokens, size_t n, mt_error *error)
{
  int32_t *ids = mt_alloc(n + 1, sizeof *ids);
  if (!ids)
    return mt_fail_no_memory(error), NULL;
  mt_tokens_copy_ids(tokens, n, ids);
  return ids;
}

mt_tokens *
mt_constraints_cut(const mt_model *model, const char *text, mt_error *error)
{
  mt_tokens *tokens = mt_model_tokenize(model, MT_STACK_DECODER, text, error), *cut = NULL;
  if (!tokens)
    return NULL;
  const char *unknown = mt_tokens_unknown(tokens);
  if (*unknown)
    mt_fail(error, MT_ERROR_INPUT, "The vocabulary of the translation has no piece for: %s",
            unknown);
  else if (mt_tokens_get(tokens, 0)->is_special) /* else its last token is the only special one */
    mt_fail(error, MT_ERROR_INPUT, "%s is no part of a translation.",
            mt_tokens_get(tokens, 0)->piece);
  else {
    const size_t n = mt_tokens_count(tokens) - 1;
    int32_t *ids = new_ids(tokens, n, error);
    cut = ids ? mt_model_detokenize(model, MT_STACK_DECODER, ids, n, error) : NULL;
    mt_free(ids);
  }
  mt_tokens_unref(tokens);
  return cut;
}

mt_constraints *
mt_constraints_new_text(const mt_model *model, const char *prefix, mt_error *error)
{
  mt_tokens *tokens = mt_constraints_cut(model, prefix, error);
  const size_t n = tokens ? mt_tokens_count(tokens) : 0;
  int32_t *ids = tokens ? new_ids(tokens, n, error) : NULL;
  mt_constraints *constraints = ids ? mt_constraints_new(ids, n, NULL, 0, error) : NULL;
  mt_free(ids);
  mt_tokens_unref(tokens);
  return constraints;
}
