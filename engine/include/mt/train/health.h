/* health.h — whether a network looks where it should. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_HEALTH_H
#define MT_PUBLIC_TRAIN_HEALTH_H

#include <mt/train/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Means over some sentences: has the encoder collapsed, does cross-attention look anywhere. */
typedef struct {
  double cosine[MT_NETWORK_MAX_LAYERS + 1]; /* 1: all positions have become the same */
  double sharpness;                         /* of the best cross-attention head, in 0..1 */
  double uniform;                           /* what a head that looks nowhere has */
  size_t layer, head;                       /* of the best one, from 0 */
} mt_health_summary;

#ifdef __cplusplus
}
#endif
#endif
