/* team.h: a team of threads that works on one thing: a block of the device, or a loop on the host.
 * Each verb ends with all of them at the same place. */
#ifndef TN_GPU_TEAM_H
#define TN_GPU_TEAM_H

#include "parallel.h"

namespace tn
{

#ifndef TN_TEAM
#define TN_TEAM 256 /* threads */
#endif

/* Numbers in shared memory: of teams, and of those that others run beside. */
#define TN_TEAM_FAST 5600
#define TN_TEAM_LITTLE 2600

#ifdef __CUDACC__

struct Team {
    double *fast;   /* shared memory, */
    int fast_count; /* of so many numbers; 0: none */
    __device__ int size() const { return TN_TEAM; }
    template <class F> __device__ void each(int n, F f) const
    {
        for (int i = (int)threadIdx.x; i < n; i += TN_TEAM) f(i);
        __syncthreads();
    }
    /* f(i, j) of each place of an n × n matrix. */
    template <class F> __device__ void each_of_square(int n, F f) const
    {
        if (n <= 0) return;
        int i = (int)threadIdx.x / n, j = (int)threadIdx.x % n, rows = TN_TEAM / n,
            columns = TN_TEAM % n;
        while (i < n) {
            f(i, j);
            i += rows;
            j += columns;
            if (j >= n) i++, j -= n;
        }
        __syncthreads();
    }
    template <class F> __device__ void once(F f) const
    {
        if (threadIdx.x == 0) f();
        __syncthreads();
    }
};

template <class F> __global__ void __launch_bounds__(TN_TEAM) run_teams(F f)
{
    __shared__ double fast[TN_TEAM_FAST];
    f(Team{fast, TN_TEAM_FAST}, (int)blockIdx.x);
}

/* f(team, i) of each i below n. */
template <class F> void teams(Queue &q, int n, F f)
{
    if (n <= 0 || q.failed) return;
    run_teams<<<n, TN_TEAM, 0, q.stream>>>(f);
    q.check(cudaGetLastError(), "starting a kernel");
}

template <class F, class G>
__global__ void __launch_bounds__(TN_TEAM) run_teams_and_each(int n, F f, int count, G g)
{
    __shared__ double fast[TN_TEAM_LITTLE];
    if ((int)blockIdx.x < n) {
        f(Team{fast, TN_TEAM_LITTLE}, (int)blockIdx.x);
        return;
    }
    int i = ((int)blockIdx.x - n) * TN_TEAM + (int)threadIdx.x;
    if (i < count) g(i);
}

/* The same, and g(i) of each i below count, which may run at the same time. */
template <class F, class G> void teams_and_each(Queue &q, int n, F f, int count, G g)
{
    if (q.failed) return;
    run_teams_and_each<<<n + (count + TN_TEAM - 1) / TN_TEAM, TN_TEAM, 0, q.stream>>>(n, f, count,
                                                                                      g);
    q.check(cudaGetLastError(), "starting a kernel");
}

#else

struct Team {
    double *fast;
    int fast_count;
    int size() const { return 1; }
    template <class F> void each(int n, F f) const
    {
        for (int i = 0; i < n; i++) f(i);
    }
    template <class F> void each_of_square(int n, F f) const
    {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) f(i, j);
    }
    template <class F> void once(F f) const { f(); }
};

template <class F> void teams(Queue &q, int n, F f)
{
    double fast[TN_TEAM_FAST];
    for (int i = 0; i < n && !q.failed; i++) f(Team{fast, TN_TEAM_FAST}, i);
}
template <class F, class G> void teams_and_each(Queue &q, int n, F f, int count, G g)
{
    if (q.failed) return;
    for (int i = 0; i < count; i++) g(i);
    double fast[TN_TEAM_LITTLE];
    for (int i = 0; i < n; i++) f(Team{fast, TN_TEAM_LITTLE}, i);
}

#endif

} // namespace tn
#endif
