/* mt-constraints-text.c — constraints from words: the pieces that a translation would have for
 * them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-error.h"
#include "text/mt-tokens.h"

#include <mt/constraints.h>

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
  else
    cut = mt_model_detokenize(model, MT_STACK_DECODER, mt_tokens_ids(tokens),
                              mt_tokens_count(tokens) - 1, error);
  mt_tokens_unref(tokens);
  return cut;
}

mt_constraints *
mt_constraints_new_text(const mt_model *model, const char *prefix, mt_error *error)
{
  mt_tokens *tokens = mt_constraints_cut(model, prefix, error);
  mt_constraints *constraints =
      tokens ? mt_constraints_new(mt_tokens_ids(tokens), mt_tokens_count(tokens), NULL, 0, error)
             : NULL;
  mt_tokens_unref(tokens);
  return constraints;
}
