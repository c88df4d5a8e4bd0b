/* Problem files of Siconos: every storage gives the same problem, the error is the one that hand
 * calculations give, and damaged files are refused with their line. */
#include "../check.h"
#include "base/base.h"
#include "io/problem/problem_file.h"

#include <unistd.h>

static TnError err;
#define DATA TENON_SOURCE_DIR "/tests/io/data/problems/"

static TnProblemFile *open_data(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, DATA "%s", name);
    err = (TnError){0};
    TnProblemFile *file = tn_problem_read(path, &err);
    if (!file) test_fail(__FILE__, __LINE__, "%s", err.message);
    return file;
}

static const char *temporary(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/tenon_problem_%d.dat", (int)getpid());
    return path;
}

static TnProblemFile *read_bytes(const char *text, size_t size)
{
    FILE *out = fopen(temporary(), "wb");
    CHECK(out && fwrite(text, 1, size, out) == size && fclose(out) == 0);
    err = (TnError){0};
    TnProblemFile *file = tn_problem_read(temporary(), &err);
    unlink(temporary());
    return file;
}

static TnProblemFile *read_string(const char *text) { return read_bytes(text, strlen(text)); }

/* Refused with a message that has this in it, at this line. */
static void check_refused(const char *text, int line, const char *part)
{
    char place[96];
    TnProblemFile *file = read_string(text);
    CHECK(!file);
    snprintf(place, sizeof place, "%s:%d: ", temporary(), line);
    CHECK_STR(err.message, place);
    CHECK_STR(err.message, part);
    CHECK(err.code == TN_ERROR_MODEL);
    tn_problem_file_destroy(file);
}

static size_t load_data(const char *name, char *text, size_t room)
{
    char path[512];
    snprintf(path, sizeof path, DATA "%s", name);
    FILE *in = fopen(path, "rb");
    size_t size = in ? fread(text, 1, room - 1, in) : 0;
    if (in) fclose(in);
    CHECK(size > 0);
    text[size] = 0;
    return size;
}

/* ---- what is read ---- */

TEST(every_storage_of_a_local_problem_gives_the_same_blocks)
{
    static const char *const names[] = {"local_dense.dat", "local_blocks.dat", "local_triplet.dat",
                                        "local_columns.dat"};
    TnProblemFile *first = open_data(names[0]);
    if (!first) return;
    TnProblemFileInfo info = tn_problem_file_info(first);
    CHECK(info.format == TN_PROBLEM_SICONOS_LOCAL && info.dimension == 3 && info.contacts == 2);
    CHECK(info.rows == 6 && info.unknowns == 6 && info.asymmetry == 0.0);
    CHECK(first->block_count == 1 && first->blocks[0].dim == 6 && first->blocks[0].A_inverse);
    CHECK(first->blocks[0].A_inverse[0 * 6 + 3] == -0.5); /* W at (0, 3) */
    CHECK(first->constraint_count == 2 && first->constraints[1].mu == 0.25);
    CHECK(first->constraints[1].e[0] == -2.0 && first->constraints[1].column[0][0] == 3);
    for (int k = 1; k < 4; k++) {
        TnProblemFile *file = open_data(names[k]);
        if (!file) continue;
        CHECK(!memcmp(&file->info, &first->info, sizeof info));
        CHECK(!memcmp(file->blocks[0].A_inverse, first->blocks[0].A_inverse, 36 * sizeof(double)));
        CHECK(!memcmp(file->siconos.q, first->siconos.q, 6 * sizeof(double)));
        tn_problem_file_destroy(file);
    }
    tn_problem_file_destroy(first);
}

TEST(every_storage_of_a_global_problem_gives_the_same_blocks)
{
    static const char *const names[] = {"global_dense.dat", "global_sparse.dat",
                                        "global_blocks.dat"};
    for (int k = 0; k < 3; k++) {
        TnProblemFile *file = open_data(names[k]);
        if (!file) continue;
        TnProblemFileInfo info = tn_problem_file_info(file);
        CHECK(info.format == TN_PROBLEM_SICONOS_GLOBAL && info.dimension == 3);
        CHECK(info.contacts == 2 && info.rows == 6 && info.unknowns == 6);
        CHECK_NEAR(info.asymmetry, 0.01 / 4.0, 1e-15); /* M(1,2) by M(3,3), one rounding */
        /* M couples unknowns 1 and 2 only; what the same contacts touch comes together, so that
         * each contact has two blocks at most */
        CHECK(file->block_count == 2 && file->blocks[0].dim == 3 && file->blocks[1].dim == 3);
        CHECK(file->blocks[0].A[1 * 3 + 2] == 0.005 && file->blocks[0].A[2 * 3 + 1] == 0.005);
        CHECK(file->blocks[1].b[0] == -2.0);
        const TnConstraintDef *c = &file->constraints[1];
        CHECK(c->block[0] == 1 && c->block[1] == 2 && c->block[2] == 0);
        CHECK(c->column_count[0] == 3 && c->J[0][0] == -1.0 && c->J[0][4] == -1.0);
        CHECK(file->constraints[0].e[2] == 0.1);
        tn_problem_file_destroy(file);
    }
}

TEST(a_contact_in_a_plane_gets_a_third_row_of_zeros)
{
    TnProblemFile *file = open_data("plane.dat");
    if (!file) return;
    CHECK(file->info.dimension == 2 && file->info.rows == 6 && file->info.unknowns == 4);
    CHECK(file->block_count == 2); /* W does not couple the two */
    const TnConstraintDef *c = &file->constraints[1];
    CHECK(c->block[0] == 2 && c->column_count[0] == 2);
    CHECK(c->J[0][0] == 1.0 && c->J[0][3] == 1.0 && c->J[0][4] == 0.0 && c->J[0][5] == 0.0);
    CHECK(c->e[1] == 1.0 && c->e[2] == 0.0);
    tn_problem_file_destroy(file);
}

TEST(a_rolling_contact_is_a_friction_constraint_and_a_roll)
{
    static const char *const names[] = {"rolling.dat", "rolling_global.dat"};
    for (int k = 0; k < 2; k++) {
        TnProblemFile *file = open_data(names[k]);
        if (!file) continue;
        CHECK(file->info.dimension == 5 && file->info.rows == 5 && file->constraint_count == 2);
        const TnConstraintDef *c = &file->constraints[1];
        CHECK(c->set == TN_SET_ROLL && c->contact == 1 && c->mu == 0.2);
        CHECK(c->column[0][0] == 3 && c->column[0][1] == 4);
        tn_problem_file_destroy(file);
    }
}

TEST(a_problem_without_contacts_is_a_problem)
{
    TnProblemFile *file = open_data("no_contacts.dat");
    if (!file) return;
    CHECK(file->info.format == TN_PROBLEM_SICONOS_GLOBAL && file->info.contacts == 0);
    double v[2] = {0.5, 0.25}, as_read, symmetric; /* M v = q */
    tn_problem_file_error(file, v, NULL, &as_read, &symmetric);
    CHECK(as_read == 0.0 && symmetric == 0.0);
    tn_problem_file_destroy(file);
    file = read_string("3 0 0 0 0 0 0");
    CHECK(file && file->info.format == TN_PROBLEM_SICONOS_LOCAL && file->block_count == 0);
    tn_problem_file_destroy(file);
}

TEST(an_integer_q_that_looks_like_a_matrix_is_still_local)
{
    /* q = (0, 3, 3) and mu = 3 could start a dense 3 by 3 matrix; the file ends too early for it */
    TnProblemFile *file = read_string("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 3");
    CHECK(file && file->info.format == TN_PROBLEM_SICONOS_LOCAL);
    if (file) CHECK(file->constraints[0].e[1] == 3.0 && file->constraints[0].mu == 3.0);
    tn_problem_file_destroy(file);
}

/* ---- the error ---- */

static void check_error(const char *text, const double *v, const double *lambda, double expected)
{
    TnProblemFile *file = read_string(text);
    double as_read, symmetric;
    CHECK(file);
    if (!file) return;
    tn_problem_file_error(file, v, lambda, &as_read, &symmetric);
    CHECK_NEAR(as_read, expected, 1e-15); /* a few roundings of numbers around one */
    CHECK_NEAR(symmetric, expected, 1e-15);
    tn_problem_file_destroy(file);
}

#define ONE_CONTACT "3 1 0 3 3 3 3  1 0 0 0 1 0 0 0 1 "

TEST(error_of_hand_made_solutions_is_zero)
{
    /* sticks; slides along -t1 with u_t = 0.5; lifts off */
    check_error(ONE_CONTACT "-1 0.25 0 0.5", NULL, (double[]){1, -0.25, 0}, 0.0);
    check_error(ONE_CONTACT "-1 1 0 0.5", NULL, (double[]){1, -0.5, 0}, 0.0);
    check_error(ONE_CONTACT "1 1 0 0.5", NULL, (double[]){0, 0, 0}, 0.0);
    /* in a plane, where λ has a third number of no meaning; a flag behind the problem */
    check_error("2 1 0 2 2 2 2 1 0 0 1 -1 1 0.5 0", NULL, (double[]){1, -0.5, 0.125}, 0.0);
    /* slides and rolls: u = (0, 0.5, 0, 0.75, 0) */
    check_error("5 1 0 5 5 5 5 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 "
                "-1 1 0 1 0 0.5 0.25",
                NULL, (double[]){1, -0.5, 0, -0.25, 0}, 0.0);
    /* global, M = 2: 2 v = q + r */
    check_error("3 1 0 3 3 3 3 2 0 0 0 2 0 0 0 2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -2 2 0 0 0 0 0.5",
                (double[]){0, 0.5, 0}, (double[]){2, -1, 0}, 0.0);
}

TEST(error_of_doing_nothing_is_what_a_hand_calculation_gives)
{
    /* û = (-0.5, 1, 0); P(-û) = (0.8, -0.4, 0) in the cone of 0.5, divided by |q| = √2 */
    check_error(ONE_CONTACT "-1 1 0 0.5", NULL, (double[]){0, 0, 0}, sqrt(0.8) / sqrt(2.0));
    /* in the cone's polar, and the other way round: within the cone */
    check_error(ONE_CONTACT "-1 0 0 0.5", NULL, (double[]){0, 0, 0}, 1.0);
    /* global: the dynamics are off by |q| = 2, |q| divides; u = 0, so nothing divides the rest */
    check_error("3 1 0 3 3 3 3 2 0 0 0 2 0 0 0 2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -2 0 0 0 0 0 0.5",
                (double[]){0, 0, 0}, (double[]){0, 0, 0}, 1.0);
    /* with rolling: û = (-1 + 0.5 + 0.5, 1, 0, 1, 0), n = (0 + 0.5 + 0.5) / 1.5 */
    double n = 1.0 / 1.5;
    check_error("5 1 0 5 5 5 5 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 "
                "-1 1 0 1 0 0.5 0.5",
                NULL, (double[]){0, 0, 0, 0, 0}, sqrt(1.5 * n * n) / sqrt(3.0));
}

TEST(the_projection_is_the_nearest_point_of_the_cone)
{
    /* with rolling, from points all around: no point of the cone nearby is nearer. r - P(r - û) is
     * asked with u = 0, so that it is the distance of r from the cone. */
    TnSiconos s = {.d = 5, .nc = 1, .mu = (double[]){0.5}, .mu_r = (double[]){0.25}};
    const double zero[5] = {0};
    unsigned seed = 1;
    for (int trial = 0; trial < 200; trial++) {
        double r[5];
        for (int k = 0; k < 5; k++) {
            seed = seed * 1664525u + 1013904223u;
            r[k] = (double)(seed >> 8) / (double)(1 << 23) - 1.0;
        }
        double distance = tn_siconos_natural_map(&s, r, zero), nearest = INFINITY;
        /* the nearest point has r_n = n and its parts shortened to fit: a fine search over n */
        for (int i = 0; i <= 4000; i++) {
            double n = i / 2000.0, sum = (r[0] - n) * (r[0] - n);
            double t = fmax(0.0, hypot(r[1], r[2]) - 0.5 * n);
            double m = fmax(0.0, hypot(r[3], r[4]) - 0.25 * n);
            nearest = fmin(nearest, sqrt(sum + t * t + m * m));
        }
        /* half a step of the search, 2.5e-4, changes the distance by less than its square over
         * twice the distance, or by itself where that is zero */
        CHECK(distance <= nearest + 1e-15);
        CHECK(nearest - distance < 2.6e-4);
    }
}

TEST(error_is_told_for_the_matrix_as_read_and_made_symmetric)
{
    /* W(0,1) = 0.5, W(1,0) = 0: u differs in the tangent by a quarter of r_n */
    TnProblemFile *file = read_string("3 1 0 3 3 3 3 1 0 0 0.5 1 0 0 0 1 -1 0 0 1");
    double as_read, symmetric;
    CHECK(file);
    if (!file) return;
    CHECK(file->info.asymmetry == 0.5);
    CHECK(file->blocks[0].A_inverse[1] == 0.25 && file->blocks[0].A_inverse[3] == 0.25);
    double r[3] = {1.0, 0.0, 0.0}; /* u = (0, 0, 0) as read */
    tn_problem_file_error(file, NULL, r, &as_read, &symmetric);
    CHECK(as_read == 0.0);
    CHECK(symmetric > 0.1);
    tn_problem_file_destroy(file);
}

TEST(a_matrix_indefinite_by_rounding_gets_a_shift_and_others_none)
{
    static const struct {
        const char *coupling;
        double least, most; /* of the shift: eigenvalues are 1 ± coupling, the largest diagonal 1 */
    } cases[] = {{"1", 0.0, 0.0},   /* semidefinite */
                 {"0.5", 0.0, 0.0}, /* definite */
                 {"1.0000001", 1e-7, 1e-6} /* -1e-7: more than that, less than eight times it */,
                 {"1.5", 0.0, 0.0} /* no rounding */};
    for (int k = 0; k < 4; k++) {
        char text[200];
        snprintf(text, sizeof text,
                 "2 2 0 4 4 4 4 1 0 %s 0 0 1 0 0 %s 0 1 0 0 0 0 1 -1 0 -1 0 0.5 0.5",
                 cases[k].coupling, cases[k].coupling);
        TnProblemFile *file = read_string(text);
        CHECK(file && tn_problem_shift(file) >= cases[k].least);
        CHECK(file && tn_problem_shift(file) <= cases[k].most);
        tn_problem_file_destroy(file);
    }
}

/* ---- trouble ---- */

TEST(a_file_cut_anywhere_is_refused_or_is_complete)
{
    static const char *const names[] = {"local_blocks.dat", "local_columns.dat",
                                        "local_triplet.dat", "global_sparse.dat", "every_kind.tnp"};
    for (int k = 0; k < 5; k++) {
        char text[4096], cut[4096];
        size_t size = load_data(names[k], text, sizeof text), last = size;
        while (last && strchr(" \n", text[last - 1])) last--;
        for (size_t length = 0; length < last; length++) {
            memcpy(cut, text, length);
            TnProblemFile *file = read_bytes(cut, length);
            /* without its last digits or its flag a file may be whole: shorter is not seen */
            bool near_end = last - length <= 6 && k < 4;
            CHECK(!file || near_end);
            if (!file) CHECK_STR(err.message, ":");
            tn_problem_file_destroy(file);
        }
    }
}

TEST(a_byte_spoilt_anywhere_never_crashes_the_reader)
{
    static const char *const names[] = {"local_blocks.dat", "local_columns.dat",
                                        "global_sparse.dat", "every_kind.tnp"};
    static const char bytes[] = {'9', '-', 'x', ' ', 0};
    for (int k = 0; k < 4; k++) {
        char text[4096];
        size_t size = load_data(names[k], text, sizeof text);
        for (size_t at = 0; at < size; at++) {
            char kept = text[at];
            text[at] = bytes[at % sizeof bytes];
            TnProblemFile *file = read_bytes(text, size);
            CHECK(file || err.count > 0);
            tn_problem_file_destroy(file);
            text[at] = kept;
        }
    }
}

TEST(messages_name_the_line_and_what_is_wrong)
{
    check_refused("", 1, "the file is empty");
    check_refused("hello\n", 1, "no problem file");
    check_refused("4\n1\n", 1, "2, 3 or 5");
    check_refused("7\n1\n", 1, "must be 2 to 5");
    check_refused("3\n-1\n", 2, "the number of contacts is -1");
    check_refused("3\n1\n5\n", 3, "0: dense, 1: blocks, 2: sparse");
    check_refused("3\n1\n0\n3\n3\n3 4\n", 6, "the columns of a dense matrix, said again, is 4");
    check_refused("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 one 0\n0 0 1\n0 0 0\n0.5\n", 8, "'one' is none");
    check_refused("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 nan 0\n0 0 1\n0 0 0\n0.5\n", 8, "finite");
    check_refused("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n", 11, "ends where");
    check_refused("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n0.5\n7\n", 12, "a flag");
    check_refused("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n0.5\n1 2\n", 12, "ends before");
    check_refused("3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n-0.5\n", 11, "mu of contact 0");
    check_refused("3\n2\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n0.5\n0.5\n", 9,
                  "are the counts right?");
    check_refused("3\n1\n0\n3000\n3000\n3000 3000\n1 0\n", 5, "is it complete?");
    check_refused("3\n1\n0\n3\n2\n3 2\n1 0 0 0 1 0\n0 0 0\n0.5\n", 7, "must be square");
}

TEST(lack_of_memory_is_told_wherever_it_strikes)
{
    static const char *const names[] = {"local_blocks.dat", "global_sparse.dat", "every_kind.tnp"};
    for (int k = 0; k < 3; k++) {
        char path[512];
        snprintf(path, sizeof path, DATA "%s", names[k]);
        TnProblemFile *file = NULL;
        for (long calls = 0; !file && calls < 200; calls++) {
            err = (TnError){0};
            tn_malloc_fail_after(calls);
            file = tn_problem_read(path, &err);
            tn_malloc_fail_after(-1);
            CHECK(file || err.code == TN_ERROR_MEMORY);
        }
        CHECK(file);
        tn_problem_file_destroy(file);
    }
}
