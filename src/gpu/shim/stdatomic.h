/* no threads share memory with the device */
#pragma once
typedef unsigned char atomic_uchar;
typedef bool atomic_bool;
typedef int atomic_int;
enum { memory_order_relaxed };
#define atomic_store_explicit(p, x, order) (*(p) = (x))
#define atomic_load_explicit(p, order) (*(p))
