/* corpus-writer.h — making corpus files (corpus.h). Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CORPUS_WRITER_H
#define MT_PUBLIC_CORPUS_WRITER_H

#include <mt/capture.h>
#include <mt/conllu.h>
#include <mt/corpus.h>
#include <mt/effects.h>
#include <mt/error.h>
#include <mt/model.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a file is made of; a file that is there is continued only with the same. */
typedef struct {
  const char *text_name; /* for people; not compared */
  const char *search;    /* how translations are searched for, as text; NULL: "" */
  const char *changes;   /* that the model is run with, as text; NULL: "" */
  bool has_effects;      /* each sentence comes with effects … */
  mt_effect_kind with;   /* … of this kind */
  bool has_trees;        /* each sentence comes with a tree */
  unsigned n_threads;    /* for computing; 0: one */
} mt_corpus_settings;

/* A file that is being made. What was added is in it after the next commit, all of it or nothing:
 * whatever ends the program in between leaves the file as the last commit left it. */
typedef struct mt_corpus_writer mt_corpus_writer;

/* Makes the file, or opens it to go on, if it is there and not complete. Errors: MT_ERROR_IO;
 * MT_ERROR_FORMAT: no corpus file, or a damaged one; MT_ERROR_INPUT: it is of another model or of
 * other settings; MT_ERROR_TOO_LONG: the model has too many heads; MT_ERROR_NO_MEMORY. */
mt_corpus_writer *mt_corpus_writer_new(const char *path, const mt_model *model,
                                       const mt_corpus_settings *settings, mt_error *error);
/* What was not committed is not kept. */
void mt_corpus_writer_free(mt_corpus_writer *writer);

/* How far the text was read at the last commit, as it was told; 0 at the beginning. */
uint64_t mt_corpus_writer_n_lines(const mt_corpus_writer *writer);
uint64_t mt_corpus_writer_text_hash(const mt_corpus_writer *writer);
bool mt_corpus_writer_is_complete(const mt_corpus_writer *writer);
uint64_t mt_corpus_writer_n_sentences(const mt_corpus_writer *writer);

/* Add a sentence. effects and tree: as the settings say, else NULL. line: where it stands in its
 * text, from 1. All linear in the cells of its matrices, but for the distances, which take a sum
 * over them for each pair of heads of a kind. False: MT_ERROR_INPUT (not of this shape, without the
 * words of its tree), MT_ERROR_IO, MT_ERROR_NO_MEMORY; the sentence is not added. */
bool mt_corpus_writer_add(mt_corpus_writer *writer, const mt_capture *capture,
                          const mt_effects *effects, const mt_conllu_tree *tree, uint64_t line,
                          mt_error *error);
/* A line that could not be read or translated: only counted. */
void mt_corpus_writer_leave_out(mt_corpus_writer *writer);

/* So many lines of the text were read, whose hash is that; is_complete: they were all. */
bool mt_corpus_writer_commit(mt_corpus_writer *writer, uint64_t n_lines, uint64_t text_hash,
                             bool is_complete, mt_error *error);

/* One file of several complete ones of the same model and settings, sentence after sentence; out
 * must not be there. should_stop, which may be NULL, is asked now and then. On failure there is no
 * file at out. Errors as those of mt_corpus_writer_new; MT_ERROR_CANCELLED. */
bool mt_corpus_merge(const char *const *paths, size_t n, const char *out,
                     bool (*should_stop)(void *user), void *user, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
