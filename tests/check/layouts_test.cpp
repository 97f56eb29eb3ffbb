// Layouts (ownership and memory, 11).
#include <catch2/catch.hpp>

#include <array>
#include <string>

#include "frontend/check/layout_algebra.hpp"
#include "tests/check/checked_source.hpp"

using namespace cairn;
using checked::LayoutValue;

namespace {

LayoutValue value(const layout_algebra::Result& result) {
  REQUIRE(result.has_value());
  return *result;
}
std::uint64_t at(const LayoutValue& layout, std::uint64_t row, std::uint64_t column) {
  return layout.offset(std::array{row, column});
}
using Place = std::pair<std::uint64_t, std::uint64_t>;

}  // namespace

TEST_CASE("storage layouts place elements by their formulas", "[layouts]") {
  Arena arena;
  const auto rows = value(layout_algebra::rows(arena, 6, 8));
  const auto padded = value(layout_algebra::pad(arena, rows, 2));
  CHECK(at(padded, 2, 3) == 23);
  CHECK(at(padded, 5, 7) == 57);
  CHECK(padded.cosize() == 58);
  CHECK(padded.size() == 48);
  const auto down = value(layout_algebra::pad(arena, value(layout_algebra::columns(arena, 6, 8)), 1));
  CHECK(at(down, 5, 7) == 54);
  CHECK(down.cosize() == 55);
  const auto mixed = value(layout_algebra::swizzle(value(layout_algebra::rows(arena, 8, 8)), 3, 0, 3));
  const std::array<std::uint64_t, 8> second{18, 19, 16, 17, 22, 23, 20, 21};
  for (std::uint64_t k = 0; k < 8; ++k) {
    CHECK(at(mixed, 2, k) == second[k]);
    CHECK(at(mixed, k, 0) == 9 * k);
  }
  CHECK(mixed.cosize() == 64);
  const auto tiles = value(layout_algebra::tile(arena, rows, 3, 4));
  CHECK(tiles.rank() == 4);
  CHECK(tiles.offset(std::array<std::uint64_t, 4>{1, 1, 2, 3}) == 47);
  CHECK(tiles.offset(std::array<std::uint64_t, 4>{0, 1, 2, 0}) == 20);
}

TEST_CASE("a spread deals a tile out, and its inverse says who holds what", "[layouts]") {
  Arena arena;
  const auto deal = value(layout_algebra::spread(arena, value(layout_algebra::rows(arena, 8, 12)), 2, 3, 2, 2));
  CHECK(deal.participants() == 6);
  CHECK(deal.values() == 16);
  const std::array<Place, 8> fourth{Place{2, 2}, {2, 3}, {3, 2}, {3, 3}, {2, 8}, {2, 9}, {3, 8}, {3, 9}};
  for (std::uint64_t k = 0; k < 8; ++k) {
    CHECK(deal.coordinate(4, k) == fourth[k]);
    CHECK(deal.coordinate(4, k + 8) == Place{fourth[k].first + 4, fourth[k].second});
  }
  CHECK(layout_algebra::judge_declared(deal).has_value());
  const auto inverse = value(layout_algebra::inverse(arena, deal));
  CHECK(inverse.coordinate(5, 7) == Place{0, 15});
  for (std::uint64_t row = 0; row < 8; ++row) {
    for (std::uint64_t column = 0; column < 12; ++column) {
      const auto [participant, number] = inverse.coordinate(row, column);
      CHECK(deal.coordinate(participant, number) == Place{row, column});
    }
  }
  const auto across = value(layout_algebra::transpose(
      arena, value(layout_algebra::spread(arena, value(layout_algebra::rows(arena, 4, 8)), 2, 2, 2, 2))));
  const std::array<Place, 8> first{Place{2, 0}, {3, 0}, {2, 1}, {3, 1}, {6, 0}, {7, 0}, {6, 1}, {7, 1}};
  for (std::uint64_t k = 0; k < 8; ++k) CHECK(across.coordinate(1, k) == first[k]);
}

TEST_CASE("the inverse of a compact storage layout takes an offset back", "[layouts]") {
  Arena arena;
  const auto inverse = value(layout_algebra::inverse(arena, value(layout_algebra::columns(arena, 4, 5))));
  CHECK(inverse.coordinate(5, 0) == Place{1, 1});
  CHECK_FALSE(layout_algebra::inverse(arena, value(layout_algebra::strided(arena, 4, 5, 6, 1))).has_value());
}

TEST_CASE("a malformed layout is refused at the expression that is wrong", "[layouts]") {
  CHECK(CheckedSource("layout A = rows(6, 8);\nlayout B = pad(A, 2);\n").verdict() == "accepted");
  CHECK(CheckedSource("layout A = rows(6, 8);\nlayout B = pad(C, 2);\n").verdict() == "E-LAYOUT 2:16");
  CHECK(CheckedSource("layout A = rows(0, 8);\n").verdict() == "E-LAYOUT 1:17");
  CHECK(CheckedSource("layout A = rows(6);\n").verdict() == "E-ARITY 1:12");
  CHECK(CheckedSource("layout A = heap(6, 8);\n").verdict() == "E-LAYOUT 1:12");
  CHECK(CheckedSource("layout A = pad(swizzle(rows(8, 8), 3, 0, 3), 1);\n").verdict() == "E-LAYOUT 1:12");
  CHECK(CheckedSource("layout A = swizzle(rows(8, 8), 3, 30, 31);\n").verdict() == "E-LAYOUT 1:12");
  CHECK(CheckedSource("layout A = swizzle(rows(8, 8), 3, 0, 3);\n").verdict() == "accepted");
  CHECK(CheckedSource("layout A = tile(rows(6, 8), 4, 4);\n").verdict() == "E-LAYOUT 1:12");
  CHECK(CheckedSource("layout A = rows(1024, 257);\n").verdict() == "E-LAYOUT 1:12");
  CHECK(CheckedSource("layout A = rows(1024, 256);\n").verdict() == "accepted");
  CHECK(CheckedSource("layout A = B;\nlayout B = A;\n").verdict().starts_with("E-LAYOUT"));
}

TEST_CASE("a declared layout shares no offset and leaves no element of a tile out", "[layouts]") {
  CHECK(CheckedSource("layout A = strided(2, 3, 2, 1);\n").verdict() == "E-LAYOUT-OVERLAP 1:12");
  CHECK(CheckedSource("layout A = strided(2, 3, 3, 1);\n").verdict() == "accepted");
  CHECK(CheckedSource("layout A = spread(rows(4, 4), 4, 4, 1, 2);\n").verdict() == "E-LAYOUT-OVERLAP 1:12");
  CHECK(CheckedSource("layout A = spread(rows(6, 10), 3, 4, 1, 2);\n").verdict() == "E-LAYOUT-GAP 1:12");
  CHECK(CheckedSource("layout A = spread(rows(6, 8), 3, 4, 1, 2);\n").verdict() == "accepted");
}

TEST_CASE("code asks a layout what it answers", "[layouts]") {
  const std::string layouts = "layout T = rows(4, 8);\nlayout D = spread(T, 2, 2, 2, 2);\nlayout U = rows(8, 4);\n";
  const auto judged = [&](const std::string& expression) {
    return CheckedSource(layouts + "fn f(t:usize) -> usize = " + expression + ";\n").verdict();
  };
  CHECK(judged("T.at(1, t)") == "accepted");
  CHECK(judged("T.at(D.row(t, 0), D.col(t, 0))") == "accepted");
  CHECK(judged("U.at(D.row(t, 0), D.col(t, 0))").starts_with("E-LAYOUT-CONSUMER 4:"));
  CHECK(judged("T.offset(1, 2)").starts_with("E-CALLEE 4:"));
  CHECK(judged("T.row(1, 2)").starts_with("E-LAYOUT 4:"));
  CHECK(judged("T.extent(2)").starts_with("E-LAYOUT 4:"));
  CHECK(judged("T.extent(1)") == "accepted");
  CHECK(judged("T.at(1)").starts_with("E-ARITY 4:"));
}
