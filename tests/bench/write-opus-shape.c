/* write-opus-shape.c — writes a model of the size of OPUS-MT's, with weights from a hash.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     write-opus-shape TINY-MODEL NEW-DIR    F32, 288 MB; the pieces are those of TINY-MODEL
 */
#include "hash-weights.h"

#include <glib/gstdio.h>

int
main(int argc, char **argv)
{
  if (argc != 3) {
    g_printerr("usage: write-opus-shape TINY-MODEL NEW-DIR\n");
    return 2;
  }
  if (g_mkdir_with_parents(argv[2], 0755) != 0) {
    g_printerr("write-opus-shape: cannot make '%s': %s\n", argv[2], g_strerror(errno));
    return 1;
  }
  hash_weights_write_opus_shape(argv[2], argv[1], TRUE);
  return 0;
}
