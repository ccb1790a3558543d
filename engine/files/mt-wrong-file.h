/* mt-wrong-file.h — files that are not what their name says. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_WRONG_FILE_H
#define MT_WRONG_FILE_H

#include "mt.h"

/* Fill in the error for a file of weights or of a tokenizer that starts otherwise than its format
 * does: what it is, as far as its first bytes tell, and what to do about it. label names the file,
 * expected says what it should be ("a zip archive as torch.save writes it"). Always returns false.
 */
bool mt_wrong_file_fail(const char *label, const char *expected, const unsigned char *bytes,
                        size_t size, mt_error *error);

/* True if the file starts like another kind than safetensors, whose own start can be any bytes. */
bool mt_wrong_file_is_known(const unsigned char *bytes, size_t size);

/* What kind of archive a file is that is none of zip, such as "a gzip archive"; NULL: none. */
const char *mt_wrong_file_archive(const unsigned char *bytes, size_t size);

#endif
