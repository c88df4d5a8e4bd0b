/* fields.cpp: Python values as fields of C structs; messages for those that are none. */
#include "fields.h"

#include <climits>

void expected(const std::string &what, const std::string &kind, nb::handle got)
{
    nb::object type = nb::borrow(got.type()).attr("__name__");
    raise(TN_ERROR_USAGE,
          what + ": expected " + kind + ", got " + nb::cast<std::string>(nb::str(type)));
}

void no_such(PyObject *kind, const std::string &what, const std::string &name,
             const std::vector<std::string> &there)
{
    nb::object near = nb::module_::import_("difflib").attr("get_close_matches")(name, there, 1);
    std::string text = what + " '" + name + "'";
    if (nb::len(near) > 0)
        text += "; did you mean '" + nb::cast<std::string>(near[0]) + "'?";
    else if (there.empty())
        text += "; there are none";
    if (!there.empty() && there.size() <= 80) {
        text += nb::len(near) > 0 ? " There are " : "; there are ";
        for (size_t i = 0; i < there.size(); i++) text += (i ? ", " : "") + there[i];
    }
    PyErr_SetString(kind, text.c_str());
    throw nb::python_error();
}

double number_of(nb::handle value, const std::string &what)
{
    double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        expected(what, "a number", value);
    }
    return number;
}

int integer_of(nb::handle value, const std::string &what)
{
    nb::object index = nb::steal(PyNumber_Index(value.ptr()));
    if (!index.is_valid()) {
        PyErr_Clear();
        expected(what, "an integer", value);
    }
    int overflow = 0;
    long number = PyLong_AsLongAndOverflow(index.ptr(), &overflow);
    if (overflow || number > INT_MAX || number < INT_MIN)
        raise(TN_ERROR_USAGE, what + ": the integer is too large");
    return (int)number;
}

bool truth_of(nb::handle value, const std::string &what)
{
    int truth = PyNumber_Check(value.ptr()) ? PyObject_IsTrue(value.ptr()) : -1;
    if (truth < 0) {
        PyErr_Clear();
        expected(what, "True or False", value);
    }
    return truth == 1;
}

std::string text_of(nb::handle value, const std::string &what)
{
    std::string text;
    if (!nb::isinstance<nb::str>(value) || !nb::try_cast(value, text))
        expected(what, "a text", value);
    if (text.find('\0') != std::string::npos)
        raise(TN_ERROR_USAGE, what + ": a name has no zero bytes");
    return text;
}

std::string words_text(const std::vector<const char *> &words, const char *between)
{
    std::string text;
    for (const char *word : words) text += (text.empty() ? "" : between) + std::string(word);
    return text;
}

std::string plain(const std::string &name)
{
    std::string text;
    for (char c : name)
        if (c != '_') text += c;
    return text;
}

int word_of(nb::handle value, const std::vector<const char *> &words, const std::string &what)
{
    std::string all = "one of " + words_text(words, ", ");
    if (!nb::isinstance<nb::str>(value)) expected(what, all, value);
    std::string given = text_of(value, what);
    for (size_t i = 0; i < words.size(); i++)
        if (given == words[i] || given == plain(words[i])) return (int)i;
    raise(TN_ERROR_USAGE, what + ": '" + given + "' is not " + all);
}

void set_fields(Maker &maker, const std::vector<Field> &fields, void *to, const nb::dict &values,
                const std::string &what)
{
    for (auto [key, value] : values) {
        std::string name = text_of(key, what);
        bool known = false;
        for (const Field &f : fields) {
            if (name != f.name) continue;
            f.set(maker, static_cast<char *>(to) + f.offset, value, what + ": " + name, f.of);
            known = true;
        }
        if (known) continue;
        std::vector<std::string> there;
        for (const Field &f : fields) there.emplace_back(f.name);
        no_such(PyExc_TypeError, what + ": there is no", name, there);
    }
}

nb::dict get_fields(const std::vector<Field> &fields, const void *from)
{
    nb::dict values;
    for (const Field &f : fields)
        values[f.name] = f.get(static_cast<const char *>(from) + f.offset, f.of);
    return values;
}
