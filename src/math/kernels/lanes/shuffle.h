/* shuffle.h: SHUFFLE(MASK, a, b, i…): lanes i of the vectors a and b laid side by side. MASK is the
 * integer vector type of their shape; gcc before 12 has only the form that needs it. */
#ifndef TN_LANES_SHUFFLE_H
#define TN_LANES_SHUFFLE_H

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(MASK, A, B, ...) __builtin_shufflevector(A, B, __VA_ARGS__)
#else
#define SHUFFLE(MASK, A, B, ...) __builtin_shuffle(A, B, (MASK){__VA_ARGS__})
#endif

#endif
