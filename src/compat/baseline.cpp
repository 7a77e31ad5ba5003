#include "compat/baseline.hpp"

#include <algorithm>
#include <array>

#include "compat/gpu_name.hpp"

namespace cudaenv::compat {
namespace {

std::optional<double> peak_of(const BoardRow& board, std::string_view figure,
                              std::string_view unit) {
  if (unit == "TFLOP/s") {
    for (const auto arithmetic : arithmetics) {
      if (figure.starts_with(name_of(arithmetic))) return board.tflops.of(arithmetic);
    }
  }
  if (unit != "GB/s") return std::nullopt;
  if (figure.starts_with("device to device")) return board.memory;
  if (figure.starts_with("to and from GPU")) return board.nvlink;
  if (figure.starts_with("to GPU") && board.nvlink) return *board.nvlink / 2;
  // Pageable and managed copies wait for the processor, not for the link.
  const bool over_the_link =
      figure.starts_with("host to device, pinned") || figure.starts_with("device to host, pinned");
  if (!over_the_link || !board.pcie_generation) return std::nullopt;
  return pcie_rate(*board.pcie_generation, *board.pcie_lanes);
}

}  // namespace

std::string_view name_of(Baseline::Kind kind) {
  return kind == Baseline::Kind::peak ? "peak" : "measured";
}

std::vector<Baseline> BoardFigures::of(std::string_view figure, std::string_view unit) const {
  std::vector<Baseline> baselines;
  if (const auto peak = peak_of(board, figure, unit)) {
    baselines.push_back({Baseline::Kind::peak, *peak, board.source});
  }
  for (const auto& row : measured) {
    if (row.figure == figure && row.unit == unit) {
      baselines.push_back({Baseline::Kind::measured, row.value, row.source});
    }
  }
  return baselines;
}

std::vector<BoardFigures> boards_like(const Tables& tables, std::string_view asked) {
  const auto words = telling_words(asked);
  const auto* exact = words.empty() ? nullptr : tables.board(asked);
  std::vector<BoardFigures> found;
  for (const auto& board : tables.boards) {
    const auto has = words_of(board.name);
    const bool named = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return std::find(has.begin(), has.end(), word) != has.end();
    });
    if (exact ? &board != exact : !named) continue;
    auto& figures = found.emplace_back(BoardFigures{board, {}});
    for (const auto& row : tables.measured) {
      if (telling_words(row.board) == telling_words(board.name)) figures.measured.push_back(row);
    }
  }
  return found;
}

std::optional<double> pcie_rate(unsigned generation, unsigned lanes) {
  // Gigatransfers a second and lane, of which 8 of 10 or 128 of 130 bits are data.
  struct Generation {
    double transfers;
    double data;
  };
  constexpr std::array<Generation, 5> generations{
      {{2.5, 0.8}, {5, 0.8}, {8, 128.0 / 130}, {16, 128.0 / 130}, {32, 128.0 / 130}}};
  if (generation < 1 || generation > generations.size()) return std::nullopt;
  const auto& link = generations[generation - 1];
  return link.transfers * link.data * lanes / 8;
}

}  // namespace cudaenv::compat
