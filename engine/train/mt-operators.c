/* mt-operators.c — the table of operators of one instruction set.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-operators.h"

#include "train/mt-operator-product.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

extern const mt_operators OPERATOR(operators);
const mt_operators OPERATOR(operators) = {
    .name = TEXT(MT_ISA),
    .embedding_forward = OPERATOR(embedding_forward),
    .embedding_backward = OPERATOR(embedding_backward),
    .add_norm_forward = OPERATOR(add_norm_forward),
    .add_norm_backward = OPERATOR(add_norm_backward),
    .activation_forward = OPERATOR(activation_forward),
    .activation_backward = OPERATOR(activation_backward),
    .attention_forward = OPERATOR(attention_forward),
    .attention_backward = OPERATOR(attention_backward),
    .softmax = OPERATOR(softmax),
    .r_drop = OPERATOR(r_drop),
    .multiplies = VECTOR_BYTES > 16,
    .panels_size = OPERATOR(panels_size),
    .pack_panels = OPERATOR(pack_panels),
    .multiply = OPERATOR(multiply),
    .add_bias = OPERATOR(add_bias),
    .add_columns = OPERATOR(add_columns),
};
