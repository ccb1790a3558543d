/* mt-card.h — what the cards of models have in common. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CARD_H
#define MT_CARD_H

#include <stdbool.h>
#include <string.h>

/* Whether a word, such as the code of a language, can stand in the YAML of a card as it is. */
static inline bool
mt_card_is_plain(const char *text)
{
  return *text &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == strlen(text);
}

#endif
