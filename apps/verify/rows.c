/* The families of rows, in the order of the page. */
#include "families.h"

/* clang-format off */
const VerifyFamily *const verify_families[] = {
    &verify_free_motion,
    &verify_joints,
    &verify_loops,
    &verify_contact,
    &verify_lasting,
    &verify_tops,
    &verify_fast,
    &verify_stacks,
    &verify_cables,
    &verify_limits,
    &verify_soft,
    &verify_sheets,
    &verify_simbench,
    &verify_accounts,
};
/* clang-format on */
const int verify_family_count = sizeof verify_families / sizeof *verify_families;
