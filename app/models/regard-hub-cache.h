/* regard-hub-cache.h — models in the download cache of the Hugging Face Hub.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Programs that use the Hub's models, transformers for one, keep them in
 *
 *     models--ORGANISATION--NAME/refs/main              the commit that "main" is
 *     models--ORGANISATION--NAME/snapshots/COMMIT/      links to the files, in blobs/
 *
 * where HF_HUB_CACHE says, or in hub below HF_HOME, or in ~/.cache/huggingface/hub.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where that cache is, whether or not anything is there. Caller frees. */
char *regard_hub_cache_folder(void);

/* The snapshot that `main` is of a folder models--ORGANISATION--NAME, or the only one; NULL where
 * there is none. Caller frees. */
char *regard_hub_cache_snapshot(const char *folder);

/* The snapshot of a name as the Hub has it, "Helsinki-NLP/opus-mt-en-de"; NULL: it is not in the
 * cache. Caller frees. */
char *regard_hub_cache_find(const char *name);

/* That name for the path of a snapshot, wherever the cache is; NULL for any other path. Caller
 * frees. */
char *regard_hub_cache_name(const char *path);

G_END_DECLS
