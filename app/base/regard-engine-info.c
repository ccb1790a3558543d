/* regard-engine-info.c — what the engine computes on, in words and as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-engine-info.h"

#include "base/regard-json.h"
#include <mt.h>

/* OpenBLAS says how it was built, its own choice and the limit of threads among it. */
static char *
blas_name(const char *config)
{
  g_auto(GStrv) words = g_strsplit(config, " ", 3);
  return words[0] && words[1] ? g_strjoin(" ", words[0], words[1], NULL) : g_strdup(config);
}

char *
regard_engine_info_text(void)
{
  mt_engine_info info = mt_engine_get_info();
  g_autofree char *blas = blas_name(info.blas);
  return g_strdup_printf("Kernels: %s, bf16: %s, int8: %s\nMatrix products: %s, core %s\n",
                         info.kernels, info.bf16_kernels, info.int8_kernels, blas, info.blas_core);
}

json_object *
regard_engine_info_json(void)
{
  mt_engine_info info = mt_engine_get_info();
  return regard_json_object({"version", json_object_new_string(MT_VERSION)},
                            {"kernels", json_object_new_string(info.kernels)},
                            {"bf16_kernels", json_object_new_string(info.bf16_kernels)},
                            {"int8_kernels", json_object_new_string(info.int8_kernels)},
                            {"blas", json_object_new_string(info.blas)},
                            {"blas_core", json_object_new_string(info.blas_core)});
}
