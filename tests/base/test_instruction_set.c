/* Which kernels run is one choice for the whole process. */
#include "../check.h"

#include "math/kernels/block_kernels.h"
#include "math/kernels/chain_kernels.h"
#include "math/kernels/contact_kernels.h"
#include "math/kernels/dense_kernels.h"
#include "math/kernels/kernels.h"
#include "math/kernels/small_kernels.h"
#include "subsystem/rod/kernels/rod_kernels.h"
#include "subsystem/soft/fem/kernels/fem_kernels.h"

#include <tenon/base.h>

TEST(every_table_of_kernels_follows_the_choice)
{
    REQUIRE(tn_use_instruction_set(TN_SET_PORTABLE));
    CHECK(tn_instruction_set() == TN_SET_PORTABLE);
    CHECK(tn_kernels() == tn_kernels_portable());
    CHECK(tn_contact_kernels() == tn_contact_kernels_portable());
    CHECK(tn_dense_kernels() == tn_dense_kernels_portable());
    CHECK(tn_small_kernels() == tn_small_kernels_portable());
    CHECK(tn_chain_kernels() == tn_chain_kernels_portable());
    CHECK(tn_block_kernels() == tn_block_kernels_portable());
    CHECK(tn_fem_kernels() == tn_fem_kernels_portable());
    CHECK(tn_rod_kernels() == tn_rod_kernels_portable());
    if (!tn_use_instruction_set(TN_SET_AVX2)) {
        test_skip("this processor has no AVX2");
        return;
    }
    CHECK(tn_kernels() == tn_kernels_avx2() && tn_small_kernels() == tn_small_kernels_avx2());
    CHECK(tn_chain_kernels() == tn_chain_kernels_avx2() &&
          tn_fem_kernels() == tn_fem_kernels_avx2());
    if (tn_use_instruction_set(TN_SET_AVX512)) { /* chains and blocks stay with 32 bytes */
        CHECK(tn_kernels() == tn_kernels_avx512() && tn_rod_kernels() == tn_rod_kernels_avx512());
        CHECK(tn_block_kernels() == tn_block_kernels_avx2());
    }
}

TEST(a_set_that_is_not_there_changes_nothing)
{
    REQUIRE(tn_use_instruction_set(TN_SET_PORTABLE));
    CHECK(!tn_use_instruction_set((TnInstructionSet)TN_SET_COUNT));
    CHECK(!tn_use_instruction_set((TnInstructionSet)-1));
    if (!tn_kernels_avx512()) CHECK(!tn_use_instruction_set(TN_SET_AVX512));
    CHECK(tn_instruction_set() == TN_SET_PORTABLE);
    REQUIRE(tn_use_instruction_set(TN_SET_BEST));
    TnInstructionSet best = tn_instruction_set();
    CHECK(best == (tn_kernels_avx512() ? TN_SET_AVX512
                   : tn_kernels_avx2() ? TN_SET_AVX2
                                       : TN_SET_PORTABLE));
}

TEST(sets_have_names)
{
    CHECK_STR(tn_instruction_set_name(TN_SET_BEST), "best");
    CHECK_STR(tn_instruction_set_name(TN_SET_PORTABLE), "portable");
    CHECK_STR(tn_instruction_set_name(TN_SET_AVX512), "avx512");
    CHECK_STR(tn_instruction_set_name((TnInstructionSet)99), "unknown");
}
