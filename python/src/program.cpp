/* program.cpp: the command-line program inside the module, and its window on a world. */
#include "common.h"

#include "../../apps/tenon/embed.h"

static int run_main(const std::vector<nb::bytes> &arguments)
{
    std::vector<std::string> keep;
    for (const nb::bytes &argument : arguments) keep.emplace_back(argument.c_str());
    std::vector<char *> argv;
    for (std::string &text : keep) argv.push_back(text.data());
    argv.push_back(nullptr);
    nb::gil_scoped_release release;
    return tenon_main((int)keep.size(), argv.data());
}

/* True: Ctrl-C closed the window. */
static bool view(nb::capsule handle, const std::optional<std::string> &title, double speed,
                 bool paused, int width, int height, int64_t steps)
{
    auto &of = *static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(handle.data());
    TenonWindow window{};
    window.title = title ? title->c_str() : nullptr;
    window.speed = speed;
    window.paused = paused;
    window.width = width;
    window.height = height;
    window.step_limit = steps;
    Error err;
    Use use(*of.first);
    check(tn_batch_push(of.first->batch, of.second, &err), err);
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = tenon_view_world(&window, tn_batch_world(of.first->batch, of.second), &err);
    }
    tn_batch_pull(of.first->batch, of.second);
    check(status, err);
    return window.interrupted;
}

/* A window that watches a world which Python runs. */
class Watcher
{
    std::pair<std::shared_ptr<BatchData>, int> of;
    std::string title;
    TenonWatcher *watcher = nullptr;
    unsigned forks = fork_count(); /* its thread does not come along to a fork */

  public:
    Watcher(nb::capsule handle, const std::optional<std::string> &wanted, int width, int height)
        : of(*static_cast<std::pair<std::shared_ptr<BatchData>, int> *>(handle.data())),
          title(wanted.value_or(""))
    {
        TenonWindow window{};
        window.title = wanted ? title.c_str() : nullptr;
        window.speed = 1.0;
        window.width = width;
        window.height = height;
        Error err;
        Use use(*of.first);
        check(tn_batch_push(of.first->batch, of.second, &err), err);
        {
            nb::gil_scoped_release release;
            watcher = tenon_watch(&window, tn_batch_world(of.first->batch, of.second), &err);
        }
        if (!watcher) raise(err);
    }
    ~Watcher() { close(); }
    Watcher(const Watcher &) = delete;

    bool is_open() const
    {
        return watcher && forks == fork_count() && tenon_watch_is_open(watcher);
    }
    void show()
    {
        if (!is_open()) return;
        Error err;
        Use use(*of.first);
        check(tn_batch_push(of.first->batch, of.second, &err), err);
        const TnStepReport *report = &of.first->view.reports[of.second];
        check(tenon_watch_show(watcher, tn_batch_world(of.first->batch, of.second), report, &err),
              err);
    }
    void close()
    {
        TenonWatcher *old = watcher;
        watcher = nullptr;
        if (forks != fork_count()) return;
        nb::gil_scoped_release release;
        tenon_watch_close(old);
    }
};

void bind_program(nb::module_ &m)
{
    m.attr("has_window") = tenon_has_window();
    m.def("main", run_main, "The program tenon with these arguments (bytes); its exit code.");
    m.def("_view", view, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg());
    nb::class_<Watcher>(m, "Watcher")
        .def(nb::init<nb::capsule, const std::optional<std::string> &, int, int>(), nb::arg(),
             nb::arg().none(), nb::arg(), nb::arg())
        .def("_show", &Watcher::show)
        .def("close", &Watcher::close, "Closes the window.")
        .def_prop_ro("is_open", &Watcher::is_open, "False: the window was closed.");
}
