/* products.h: s + a b and s - a b, fused where the instruction set fuses. Threads that share a
 * matrix cut it into other pieces than one thread does, and each piece is compiled for itself: the
 * bits are the same only if no compiler chooses what is fused. (gcc 13 did so once.) */
#ifndef TN_LANES_PRODUCTS_H
#define TN_LANES_PRODUCTS_H

#define PRODUCT static inline __attribute__((always_inline))

#ifdef __FMA__
PRODUCT double s_add(double s, double a, double b) { return __builtin_fma(a, b, s); }
PRODUCT double s_sub(double s, double a, double b) { return __builtin_fma(-a, b, s); }
#else
PRODUCT double s_add(double s, double a, double b) { return s + a * b; }
PRODUCT double s_sub(double s, double a, double b) { return s - a * b; }
#endif

#if defined(__FMA__) && W == 8
PRODUCT vd v_all(double x) { return (vd)_mm512_set1_pd(x); }
PRODUCT vd v_add(vd s, vd a, vd b)
{
    return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)s);
}
PRODUCT vd v_sub(vd s, vd a, vd b)
{
    return (vd)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)s);
}
#elif defined(__FMA__)
PRODUCT vd v_all(double x) { return (vd)_mm256_set1_pd(x); }
PRODUCT vd v_add(vd s, vd a, vd b)
{
    return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)s);
}
PRODUCT vd v_sub(vd s, vd a, vd b)
{
    return (vd)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)s);
}
#else
PRODUCT vd v_all(double x) { return (vd){x, x, x, x}; }
PRODUCT vd v_add(vd s, vd a, vd b) { return s + a * b; }
PRODUCT vd v_sub(vd s, vd a, vd b) { return s - a * b; }
#endif

#undef PRODUCT
#endif
