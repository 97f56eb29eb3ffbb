#include "vm/predict/cards.hpp"

#include <catch2/catch.hpp>

#include "vm/predict/polynomial.hpp"

using namespace cairn::predict;

TEST_CASE("a card is named by its key or by the unique start of one before a hyphen") {
  CHECK((*card_named("h100"))->key == "h100-sxm5");
  CHECK((*card_named("rtx-4090"))->target() == "sm_89");
  CHECK((*card_named("h200-sxm"))->target() == "sm_90a");
  CHECK_FALSE(card_named("rtx").has_value());
  CHECK_FALSE(card_named("h10").has_value());
  CHECK_FALSE(card_named("").has_value());
}

TEST_CASE("resident blocks are the least of what threads, registers, shared memory and the count allow") {
  const Card& card = **card_named("h100");
  CHECK(resident_blocks(card, 128, 40, 12'000) == 12);
  CHECK(resident_blocks(card, 128, 0, 12'000) == 16);
  CHECK(resident_blocks(card, 128, 0, 0) == 16);
  CHECK(resident_blocks(card, 1025, 0, 0) == 0);
  CHECK(resident_blocks(card, 128, 0, 232'449) == 0);
}

TEST_CASE("polynomials add, multiply, take sizes and are written highest degree first") {
  const Polynomial n = Polynomial::variable("n");
  const Polynomial sum = n * Polynomial(2.0) + Polynomial(8.0);
  CHECK(sum.text() == "2*n + 8");
  CHECK((sum * n).text() == "2*n*n + 8*n");
  CHECK((n - n).is_zero());
  CHECK(sum.value({{"n", 10}}) == 28);
  CHECK(sum.substitute({{"n", Polynomial::variable("m") + Polynomial(1.0)}}).text() == "2*m + 10");
  CHECK(Polynomial::larger(sum, n * Polynomial(3.0)).text() == "3*n + 8");
}
