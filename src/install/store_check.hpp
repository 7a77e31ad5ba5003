#pragma once

#include "install/context.hpp"
#include "install/plan.hpp"
#include "store/layout.hpp"

namespace cudaenv::install {

// Reads the store's files that a plan counts on and takes those entries out of the store whose
// bytes are not what was unpacked: their archives are fetched again. For an install that is to
// mend a prefix, whose files the store shares.
void drop_damaged(const Context& context, const store::Layout& layout, Plan& plan);

}  // namespace cudaenv::install
