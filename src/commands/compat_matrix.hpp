#pragma once

#include "commands/compat.hpp"
#include "compat/framework.hpp"

namespace cudaenv::commands {

// What a matrix is asked for: rows that do not fit are left out, and what is given besides is
// judged in a column of its own.
struct MatrixQuestion {
  std::optional<compat::FrameworkWish> framework;
  compat::Surroundings around;
};

Matrix cuda_matrix(const compat::Tables& tables, const MatrixQuestion& question);
Matrix driver_matrix(const compat::Tables& tables, const MatrixQuestion& question);
Matrix gpu_matrix(const compat::Tables& tables, const MatrixQuestion& question);
// What boards are sold as, and what was seen of them.
Matrix board_matrix(const compat::Tables& tables, const MatrixQuestion& question);
Matrix measured_matrix(const compat::Tables& tables, const MatrixQuestion& question);
Matrix framework_matrix(const compat::Tables& tables, const MatrixQuestion& question);

}  // namespace cudaenv::commands
