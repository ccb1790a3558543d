/* mt-sentencepiece.h — SentencePiece (Kudo & Richardson 2018) for C. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_SENTENCEPIECE_H
#define MT_SENTENCEPIECE_H

#include "mt.h"
#include "mt/train/draws.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A SentencePiece model; immutable, may be used by several threads at once. */
typedef struct mt_spm mt_spm;

/* Check and read a serialised model (the content of a .spm file, which is copied).
 * `label` names the file in messages. Errors: MT_ERROR_FORMAT, MT_ERROR_NO_MEMORY. */
mt_spm *mt_spm_new(const void *bytes, size_t n, const char *label, mt_error *error);
void mt_spm_free(mt_spm *spm);

/* All pieces of the model, in the order of their ids; `take` returns false to stop, after setting
 * its own error, and so does this. */
bool mt_spm_each(const mt_spm *spm, bool (*take)(void *user, const char *piece, size_t n),
                 void *user);

/* Receives one piece (n bytes, not terminated) and the bytes begin … end of the text that it stands
 * for. Returns false to stop, after setting its own error. */
typedef bool (*mt_spm_visit)(void *user, const char *piece, size_t n, size_t begin, size_t end);

/* Split n bytes of text into pieces, in order. begin and end never go back and lie in the text. */
bool mt_spm_encode(const mt_spm *spm, const char *text, size_t n, mt_spm_visit visit, void *user,
                   mt_error *error);

/* Split text n times, each time in a way drawn from the nbest_size most probable ones, of which
 * one with probability p has a chance proportional to p^alpha: subword regularisation (Kudo 2018).
 * `begin` is told before the pieces of draw k come. MT_ERROR_UNSUPPORTED for a tokenizer that is
 * not a unigram model. */
bool mt_spm_draw(const mt_spm *spm, const char *text, size_t n, const mt_spm_draws *draws,
                 void (*begin)(void *user, size_t k), mt_spm_visit visit, void *user,
                 mt_error *error);

/* Join n_pieces pieces. `visit` receives once each piece's part of the result, as surface text:
 * the bytes are a part of the joined text, begin and end its place there. */
bool mt_spm_decode(const mt_spm *spm, const char *const *pieces, size_t n_pieces,
                   mt_spm_visit visit, void *user, mt_error *error);

#ifdef __cplusplus
}
#endif

#endif
