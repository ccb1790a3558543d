/* mt-piece-list.h — the files that list pieces and their ids. Private to the engine.
 *
 * A kind of file is one function and one row of the list in mt-piece-list.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PIECE_LIST_H
#define MT_PIECE_LIST_H

#include "files/mt-file.h"
#include "mt.h"

/* Pairs in the order of the file; a piece or an id may come twice. */
typedef struct {
  struct {
    size_t piece; /* place in strings */
    int32_t id;
  } * pairs;
  size_t n, capacity;
  char *strings; /* all pieces, each with its NUL */
  size_t n_strings, strings_capacity;
} mt_piece_list;

/* Read a file by its ending: .json and .yml, .yaml ({piece: id}); .spm (the pieces of a
 * SentencePiece model); .vocab and .txt (a piece a line, counted from 0). All ids are below `size`;
 * size_from says what that is, for messages ("config.json"). Initialise with {0}; on failure *list
 * may hold a part. Clear with mt_piece_list_clear. Errors: those of the file, MT_ERROR_FORMAT,
 * MT_ERROR_UNSUPPORTED for other endings. */
bool mt_piece_list_read(mt_piece_list *list, const mt_dir *dir, const char *file, size_t size,
                        const char *size_from, mt_error *error);
/* Append a pair. */
bool mt_piece_list_add(mt_piece_list *list, const char *piece, size_t n, int32_t id,
                       mt_error *error);
void mt_piece_list_clear(mt_piece_list *list);

/* True if a name ends like one of the files that are read. */
bool mt_piece_list_is_known(const char *file);

#endif
