/* regard-model-card.h — what a model's card says: the languages and the licence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* NULL: not said. Languages are codes as the card has them, several separated by spaces or commas.
 */
typedef struct {
  char *source, *target;
  char *licence; /* as people write it: "Apache-2.0", "CC-BY-4.0" */
  char *name;    /* what the model wants to be called: "By hand" */
} RegardModelCard;

/* Read a README.md: the YAML in front of it (`license:`, `pretty_name:`) and the list that OPUS-MT
 * writes
 * ("* source languages: en"). Only what is still NULL is filled in. The text need not be UTF-8 and
 * is looked at once, whatever it holds. */
void regard_model_card_read(RegardModelCard *card, const char *text, gsize length);

/* Recognise the text of a licence by its first lines, where the card named none. */
void regard_model_card_read_licence(RegardModelCard *card, const char *text, gsize length);

/* The languages out of a name such as "opus-mt-tc-big-en-de" or "deu-eng", where nothing else says
 * them. */
void regard_model_card_read_name(RegardModelCard *card, const char *name);

void regard_model_card_clear(RegardModelCard *card);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardModelCard, regard_model_card_clear)

G_END_DECLS
