/* fields.h: the fields of C structs as Python values, from the tables that python/fields.py writes
 * from the headers. fields_of<TnGeomDef>() is such a table, words_of<TnGeomType>() has the words of
 * an enumeration. */
#pragma once

#include "common.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <type_traits>

/* What becoming a C value needs: how to find a thing by its name, and memory that lives until the
 * struct was used. */
struct Maker {
    std::function<int32_t(const char *kind, nb::handle which, const std::string &what)> find;
    std::deque<std::string> strings;
    std::deque<std::vector<char>> memory;
    std::deque<Doubles> arrays;
    std::string servo; /* type of an actuator, as MJCF calls it */

    const char *keep(std::string text) { return strings.emplace_back(std::move(text)).c_str(); }
    template <typename T> T *room(size_t count)
    {
        return reinterpret_cast<T *>(memory.emplace_back(sizeof(T) * (count + 1)).data());
    }
};

struct Field {
    const char *name, *of, *doc;
    std::string type; /* as a signature says it */
    size_t offset;
    void (*set)(Maker &maker, void *to, nb::handle value, const std::string &what, const char *of);
    nb::object (*get)(const void *from, const char *of);
};

/* Specialized by the tables. */
template <typename T> const std::vector<Field> &fields_of();
template <typename T> const char *about();
template <typename E> const std::vector<const char *> &words_of();

[[noreturn]] void expected(const std::string &what, const std::string &kind, nb::handle got);
/* `what` "there is no geom", and then the name and those that there are. */
[[noreturn]] void no_such(PyObject *kind, const std::string &what, const std::string &name,
                          const std::vector<std::string> &there);
double number_of(nb::handle value, const std::string &what);
int integer_of(nb::handle value, const std::string &what);
bool truth_of(nb::handle value, const std::string &what);
std::string text_of(nb::handle value, const std::string &what);
std::string words_text(const std::vector<const char *> &words, const char *between);
std::string plain(const std::string &name); /* without underscores, as MJCF has its names */
int word_of(nb::handle value, const std::vector<const char *> &words, const std::string &what);

/* Sets the fields of a struct that a dict names. */
void set_fields(Maker &maker, const std::vector<Field> &fields, void *to, const nb::dict &values,
                const std::string &what);
nb::dict get_fields(const std::vector<Field> &fields, const void *from);

template <typename T> struct Value {
    using One = std::remove_extent_t<T>;

    static std::string type(const char *of)
    {
        if (of[0]) return "str | int | None";
        if constexpr (std::is_array_v<T>) return "numpy.typing.ArrayLike";
        if constexpr (std::is_same_v<T, double>) return "float";
        if constexpr (std::is_same_v<T, bool>) return "bool";
        if constexpr (std::is_same_v<T, const char *>) return "str | None";
        if constexpr (std::is_enum_v<T>)
            return "typing.Literal['" + words_text(words_of<T>(), "', '") + "']";
        if constexpr (std::is_integral_v<T>) return "int";
        return "collections.abc.Mapping[str, object]";
    }

    static void set(Maker &maker, void *place, nb::handle value, const std::string &what,
                    const char *of)
    {
        T &to = *static_cast<T *>(place);
        if constexpr (std::is_array_v<T> && !std::is_class_v<One>) {
            Doubles numbers = doubles(value, {(long)std::extent_v<T>}, what.c_str());
            for (size_t k = 0; k < std::extent_v<T>; k++) to[k] = (One)numbers.data()[k];
        } else if constexpr (std::is_same_v<T, double>) {
            to = number_of(value, what);
        } else if constexpr (std::is_same_v<T, bool>) {
            to = truth_of(value, what);
        } else if constexpr (std::is_same_v<T, const char *>) {
            to = value.is_none() ? nullptr : maker.keep(text_of(value, what));
        } else if constexpr (std::is_enum_v<T>) {
            to = (T)word_of(value, words_of<T>(), what);
        } else if constexpr (std::is_integral_v<T>) {
            if (of[0])
                to = (T)(value.is_none() ? 0 : maker.find(of, value, what));
            else
                to = (T)integer_of(value, what);
        } else if constexpr (!std::is_array_v<T> && !std::is_same_v<T, TnTetMesh>) {
            if (!nb::isinstance<nb::dict>(value)) expected(what, "a dict", value);
            set_fields(maker, fields_of<T>(), &to, nb::borrow<nb::dict>(value), what);
        }
    }

    static nb::object get(const void *place, const char *of)
    {
        const T &from = *static_cast<const T *>(place);
        if constexpr (std::is_array_v<T>) {
            nb::list list;
            for (size_t k = 0; k < std::extent_v<T>; k++)
                list.append(Value<One>::get(&from[k], ""));
            return nb::tuple(list);
        } else if constexpr (std::is_same_v<T, const char *>) {
            return from ? nb::object(nb::str(from)) : nb::none();
        } else if constexpr (std::is_enum_v<T>) {
            size_t index = (size_t)from;
            return index < words_of<T>().size() ? nb::object(nb::str(words_of<T>()[index]))
                                                : nb::none();
        } else if constexpr (std::is_arithmetic_v<T>) {
            if (of[0]) return from == 0 ? nb::none() : nb::object(nb::int_((int)from - 1));
            return nb::cast(from);
        } else if constexpr (!std::is_same_v<T, TnTetMesh>) {
            return get_fields(fields_of<T>(), &from);
        }
        return nb::none();
    }
};

template <typename T>
Field make_field(const char *name, size_t offset, const char *of, const char *doc)
{
    return {name, of, doc, Value<T>::type(of), offset, Value<T>::set, Value<T>::get};
}

#define WORDS(ENUM, ...)                                                                           \
    template <> inline const std::vector<const char *> &words_of<ENUM>()                           \
    {                                                                                              \
        static const std::vector<const char *> words = {__VA_ARGS__};                              \
        return words;                                                                              \
    }
#define FIELDS(STRUCT, ABOUT)                                                                      \
    template <> inline const char *about<STRUCT>() { return ABOUT; }                               \
    template <> inline const std::vector<Field> &fields_of<STRUCT>()                               \
    {                                                                                              \
        static const std::vector<Field> fields = {
#define FIELD(STRUCT, NAME, OF, DOC)                                                               \
    make_field<decltype(STRUCT::NAME)>(#NAME, offsetof(STRUCT, NAME), OF, DOC),
#define END_FIELDS                                                                                 \
    }                                                                                              \
    ;                                                                                              \
    return fields;                                                                                 \
    }
#include "fields.inc"
#undef WORDS
#undef FIELDS
#undef FIELD
#undef END_FIELDS
