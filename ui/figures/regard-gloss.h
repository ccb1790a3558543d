/* regard-gloss.h — what words mean, in a language of the reader's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of them (assets/gloss) has the words of one language, a line each: the word in small
 * letters, and in further columns, told apart by tabs, what it means in other languages. The first
 * line that is no remark (#) names the columns: "word", "zh_CN", … A column may be empty.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The meanings of one file in one language; never changed. */
typedef struct RegardGloss RegardGloss;

/* language: as columns are named, or as BCP 47 has it, "zh-CN"; a column of the same language for
 * another place does where there is no other. ignored: so many lines are not as they should be, and
 * were passed over; NULL: not asked. NULL: there is no such file, it is too large or no text, or
 * it has no such column. */
RegardGloss *regard_gloss_read(const char *path, const char *language, guint *ignored);
RegardGloss *regard_gloss_ref(RegardGloss *self);
void regard_gloss_unref(RegardGloss *self); /* NULL is nothing */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardGloss, regard_gloss_unref)

/* What a word means, however it is capitalised. NULL: it is not known. Borrowed. */
const char *regard_gloss_find(const RegardGloss *self, const char *word);

G_END_DECLS
