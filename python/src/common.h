/* common.h: what all parts of the module share: who owns what, errors, arrays. */
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tenon/tenon.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;

/* An error without the cost of clearing its eight kilobytes. */
struct Error : TnError {
    Error()
    {
        code = TN_OK;
        count = 0;
        message[0] = '\0';
    }
};

/* The exception of tenon._errors that suits the status. */
[[noreturn]] void raise(const TnError &err);
[[noreturn]] void raise(TnStatus code, const std::string &message);
inline void check(TnStatus status, const TnError &err)
{
    if (status != TN_OK) raise(err);
}

/* A model with the builder it came from, which can write it. Worlds keep it alive. */
struct ModelData {
    std::shared_ptr<TnModelBuilder> builder;
    TnModel *model = nullptr;
    TnModelInfo info{};
    std::string remarks;
    ~ModelData() { tn_model_destroy(model); }
};
struct Model {
    std::shared_ptr<ModelData> data;
};

/* How often this process is a fork of one that has loaded the module. */
unsigned fork_count();

enum { ON_TROUBLE_WARN, ON_TROUBLE_RAISE, ON_TROUBLE_IGNORE };

/* A batch; a lone world is a batch of one. Arrays that Python holds keep it alive, also after
 * close(). */
struct BatchData {
    std::shared_ptr<ModelData> model;
    TnBatch *batch = nullptr;
    TnBatchView view{};
    bool threads = false;
    double pace = 0; /* s that a step of all worlds took in rollouts; 0: not known */
    int on_trouble = ON_TROUBLE_WARN;
    bool told = false;  /* a warning was given */
    unsigned looks = 0; /* steps that were looked at */
    bool watches() const
    {
        return on_trouble == ON_TROUBLE_RAISE || (on_trouble == ON_TROUBLE_WARN && !told);
    }
    unsigned forks = fork_count();
    std::atomic<bool> busy{false};
    /* Of a lone world, one bit for each array. held: someone may read or write it, so it is
     * compared before and copied after each call; stale: it was not copied, as nobody had it. */
    bool lone = false;
    std::atomic<unsigned> held{0}, stale{0};
    ~BatchData()
    {
        /* the threads of a pool do not come along to a fork, and joining them would wait forever */
        if (!threads || forks == fork_count()) tn_batch_destroy(batch);
    }
};

enum : unsigned { ARRAY_QPOS = 1, ARRAY_QVEL = 2, ARRAY_CTRL = 4, ARRAY_ACT = 8, ARRAY_ALL = 15 };
/* Of a lone world: copies its state to some of the arrays; sets what was written there. */
void copy_arrays(BatchData &data, unsigned which);
TnStatus set_written(BatchData &data, unsigned which, TnError *err);

/* Copies to arrays for which that is due, if nobody is inside. Whoever is inside does it on
 * leaving.
 */
inline void refresh(BatchData &data)
{
    if (!(data.stale & data.held) || data.busy.exchange(true)) return;
    unsigned due = data.stale & data.held;
    copy_arrays(data, due);
    data.stale &= ~due;
    data.busy = false;
}

/* Nobody else is inside the batch as long as this lives. `arrays`: all of them
 * have to be up to date. */
class Use
{
    BatchData &data;

  public:
    explicit Use(BatchData &batch, bool arrays = true) : data(batch)
    {
        if (data.threads && data.forks != fork_count())
            raise(TN_ERROR_USAGE, "a world with several threads cannot be used after a fork; make "
                                  "it in the child process, or start processes by 'spawn'");
        if (data.busy.exchange(true))
            raise(TN_ERROR_USAGE, "the world is in use by another thread");
        if (arrays && data.stale) {
            copy_arrays(data, data.stale);
            data.stale = 0;
        }
    }
    ~Use()
    {
        data.busy = false;
        refresh(data); /* someone asked for an array meanwhile */
    }
    Use(const Use &) = delete;
};

/* Lets Ctrl-C through every 50 ms of a long call that has released the GIL. */
class Interruptible
{
    std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();

  public:
    void look()
    {
        auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(50)) return;
        last = now;
        nb::gil_scoped_acquire hold;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
};

/* From files in memory, a dict of names and bytes, of which one is "model.xml". */
std::shared_ptr<TnModelBuilder> load_builder(nb::handle files);

TnWorldDef world_def(const nb::dict &options);

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double>;

/* Anything as an array of float64 with this shape (-1: any length); `what` names it in messages. */
Doubles doubles(nb::handle from, const std::vector<long> &shape, const char *what);
/* The same, NULL for None; `keep` holds the numbers. */
const double *optional_doubles(nb::handle from, const std::vector<long> &shape, const char *what,
                               Doubles &keep);
/* A new array of zeros, and where its numbers are. */
Array new_array(const std::vector<size_t> &shape, double **numbers);
nb::object copied(const double *from, const std::vector<size_t> &shape); /* a new array */
nb::object new_bytes(size_t count, size_t size, void **bytes);

/* A live array over the memory of a batch. */
template <typename T>
nb::object live(const std::shared_ptr<BatchData> &data, T *numbers,
                const std::vector<size_t> &shape)
{
    auto *keep = new std::shared_ptr<BatchData>(data);
    nb::capsule owner(
        keep, [](void *p) noexcept { delete static_cast<std::shared_ptr<BatchData> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(numbers, shape.size(), shape.data(), owner));
}

/* What stubs and help() say of a live array. */
#define LIVE(NAME, DOC)                                                                            \
    nb::for_getter(nb::sig("def " NAME "(self) -> numpy.typing.NDArray[numpy.float64]")),          \
        nb::for_setter(nb::sig("def " NAME "(self, value: object, /) -> None")), DOC

/* trouble.cpp */
struct Trouble {
    std::string kind, where, what, help;
    std::string text(double time) const;
};
struct TroubleLimits {
    double force; /* N: a contact force above is trouble; 0: forces do not count */
};
/* Looking at all contacts takes up to a tenth of a step of a pile: it is done in one of so many
 * steps, and a push that leads nowhere lasts longer. */
enum { FORCES_EVERY = 8 };
/* A step that might be in trouble; asking for the words costs more. */
bool is_suspect(const TnStepReport &report);
TroubleLimits trouble_limits(const TnWorld *world);
/* limits NULL: only what the library says. */
bool find_trouble(const TnWorld *world, const TroubleLimits *limits, Trouble *out);
/* Warns or raises. `which`: before the text. */
void tell_trouble(BatchData &data, const Trouble &trouble, double time, const std::string &which);
void look_for_trouble(BatchData &data, const uint8_t *mask);
int trouble_choice(const nb::dict &options);

/* What a model, or the present one of a world, says of a thing. */
nb::dict info_of(const TnModel *model, const std::string &kind, int index);
nb::dict evaluate(const TnModel *model, const double *qpos, const double *qvel, const double *ctrl,
                  TnEval input, const std::vector<std::string> &want);

void bind_model(nb::module_ &m);
void bind_builder(nb::module_ &m);
void bind_solver(nb::module_ &m);
void bind_reports(nb::module_ &m);
void bind_world(nb::module_ &m);
void bind_batch(nb::module_ &m);
void bind_derivatives(nb::module_ &m);
void bind_fit(nb::module_ &m);
void bind_plan(nb::module_ &m);
void bind_recorder(nb::module_ &m);
void bind_recording(nb::module_ &m);
void bind_renderer(nb::module_ &m);
void bind_program(nb::module_ &m);
