// Which function another one stands in.
#include <catch2/catch.hpp>

#include "vm/bytecode/owners.hpp"

using namespace cairn::bytecode;

TEST_CASE("a closure in a lane belongs to the function around the lane") {
  Module module;
  module.functions.resize(4);
  module.functions[1].parent = 0;
  module.functions[2].parent = 1;
  CHECK(owner_of(module, 0) == 0);
  CHECK(owner_of(module, 2) == 0);
  CHECK(owner_of(module, 3) == 3);
  CHECK(is_within(module, 2, 1));
  CHECK(is_within(module, 2, 0));
  CHECK(is_within(module, 2, 2));
  CHECK_FALSE(is_within(module, 1, 2));
  CHECK_FALSE(is_within(module, 3, 0));
}

TEST_CASE("functions that say they stand in each other have no end and are left") {
  Module module;
  module.functions.resize(3);
  module.functions[0].parent = 1;
  module.functions[1].parent = 0;
  CHECK(owner_of(module, 0) < 2);
  CHECK(is_within(module, 0, 1));
  CHECK_FALSE(is_within(module, 0, 2));
}
