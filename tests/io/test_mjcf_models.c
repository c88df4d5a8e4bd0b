/* Real robots: each file either loads, or every line of the error has its place. */
#include "mjcf_text.h"

#include <dirent.h>

static TnError err;
static TnRemarks remarks;

/* `FILE:LINE:COLUMN: ` at the start of each line. */
static bool lines_have_places(const char *message)
{
    for (const char *line = message; line && *line;) {
        const char *end = strchr(line, '\n');
        const char *stop = end ? end : line + strlen(line);
        bool found = false;
        for (const char *c = line; c < stop && !found; c++) {
            int row = 0, column = 0, used = 0;
            if (*c == ':' && sscanf(c, ":%d:%d: %n", &row, &column, &used) == 2 && used > 0)
                found = c > line && row > 0 && column > 0;
        }
        if (!found) return false;
        line = end ? end + 1 : NULL;
    }
    return true;
}

static const char *models_folder(void)
{
    const char *folder = getenv("TENON_MODELS");
    return folder && folder[0] ? folder : TENON_SOURCE_DIR "/../shared/models";
}

static int check_folder(const char *folder, int *loaded)
{
    DIR *dir = opendir(folder);
    int files = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".xml") != 0) continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        TnModel *m = tn_model_load_with_remarks(path, &remarks, &err);
        files++;
        *loaded += m != NULL;
        if (m && err.count)
            test_fail(__FILE__, __LINE__, "%s loads with errors: %s", path, err.message);
        if (!m && (err.count == 0 || !lines_have_places(err.message)))
            test_fail(__FILE__, __LINE__, "%s: %s", path, err.message);
        if (!lines_have_places(remarks.message))
            test_fail(__FILE__, __LINE__, "%s: %s", path, remarks.message);
        tn_model_destroy(m);
    }
    if (dir) closedir(dir);
    return files;
}

TEST(robot_files_load_or_explain_themselves)
{
    DIR *dir = opendir(models_folder());
    if (!dir) {
        test_skip("no folder of models (set TENON_MODELS)");
        return;
    }
    int files = 0, loaded = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        char path[768];
        snprintf(path, sizeof path, "%s/%s", models_folder(), entry->d_name);
        files += check_folder(path, &loaded);
    }
    closedir(dir);
    printf("    %d of %d model files load\n", loaded, files);
    CHECK(files > 0);
}

static TnModel *load_robot(const char *file)
{
    char path[768];
    snprintf(path, sizeof path, "%s/%s", models_folder(), file);
    if (access(path, R_OK) != 0) {
        test_skip("no folder of models (set TENON_MODELS)");
        return NULL;
    }
    TnModel *m = tn_model_load(path, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

/* Counts and masses as MuJoCo reports them for the same files. */
TEST(ur5e_has_mujocos_sizes_and_mass)
{
    TnModel *m = load_robot("universal_robots_ur5e/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    CHECK(info.body_count == 8 && info.qpos_count == 6 && info.dof_count == 6 &&
          info.actuator_count == 6);
    CHECK(info.geom_count == 10 && info.key_count == 1);
    CHECK_NEAR(info.total_mass, 3.7 + 8.393 + 2.275 + 1.219 + 1.219 + 0.1889,
               1e-12); /* rounding of 17; the base is fixed */
    tn_model_destroy(m);
}

TEST(go2_has_mujocos_sizes)
{
    TnModel *m = load_robot("unitree_go2/physics.xml");
    if (!m) return;
    TnModelInfo info = tn_model_info(m);
    CHECK(info.body_count == 14 && info.qpos_count == 19 && info.dof_count == 18 &&
          info.actuator_count == 12);
    tn_model_destroy(m);
}
