/* A C host: finds functions, shows their signatures and rows, calls them with scalars, a record and views of its own. */
#include <cairn.h>
#include <stdio.h>
#include <string.h>

struct Point {
  double x, y;
};

static const char *kProgram =
    "struct Point { x:f64; y:f64; }\n"
    "fn gcd(a:u64, b:u64) -> u64 {\n"
    "  let mut x = a;\n"
    "  let mut y = b;\n"
    "  while y != 0 { let r = x % y; x = y; y = r; }\n"
    "  return x;\n"
    "}\n"
    "fn middle(a:Point, b:Point) -> Point = Point((a.x + b.x) / 2.0, (a.y + b.y) / 2.0);\n"
    "fn scale(n:usize, values:rw<f32>[n], by:f32) -> usize {\n"
    "  for i in 0..n { values[i] = values[i] * by; }\n"
    "  return n;\n"
    "}\n"
    "fn main() -> i32 { println(\"called as a program\"); return 7; }\n";

int main(void) {
  cairn_vm *vm = cairn_vm_new(NULL);
  cairn_diagnostics *diagnostics = NULL;
  cairn_module *module = cairn_load_source(vm, "tools.cairn", kProgram, strlen(kProgram), &diagnostics);
  if (module == NULL) {
    fputs(cairn_diagnostics_text(diagnostics), stderr);
    return 1;
  }
  for (size_t k = 0; k < cairn_function_count(module); ++k) {
    cairn_function *function = cairn_function_at(module, k);
    printf("%s%s effects(%s)\n", cairn_function_name(function), cairn_function_signature(function), cairn_function_effects(function));
  }

  cairn_value numbers[2] = {{.kind = CAIRN_U64, .as.u64 = 1071}, {.kind = CAIRN_I32, .as.i64 = 462}};
  cairn_value result = {0};
  cairn_trap trap;
  if (cairn_call(cairn_find(module, "gcd"), numbers, 2, &result, &trap) != CAIRN_OK) return 1;
  printf("gcd: %llu\n", (unsigned long long)result.as.u64);

  struct Point a = {1, 2}, b = {5, 10}, between;
  cairn_value points[2] = {{.kind = CAIRN_RECORD, .as.memory = {&a, sizeof(a)}}, {.kind = CAIRN_RECORD, .as.memory = {&b, sizeof(b)}}};
  result = (cairn_value){.kind = CAIRN_RECORD, .as.memory = {&between, sizeof(between)}};
  if (cairn_call(cairn_find(module, "middle"), points, 2, &result, &trap) != CAIRN_OK) return 1;
  printf("middle: %g %g\n", between.x, between.y);

  float values[4] = {1, 2, 3, 4};
  cairn_value scale[2] = {{.kind = CAIRN_VIEW, .element = CAIRN_F32, .as.memory = {values, 4}}, {.kind = CAIRN_F32, .as.f32 = 0.5f}};
  if (cairn_call(cairn_find(module, "scale"), scale, 2, &result, &trap) != CAIRN_OK) return 1;
  printf("scale: %g %g %g %g\n", values[0], values[1], values[2], values[3]);

  scale[0].as.memory.data = (char *)values + 1;
  if (cairn_call(cairn_find(module, "scale"), scale, 2, &result, &trap) == CAIRN_TRAPPED) printf("%s\n", trap.message);
  cairn_restart(module);
  numbers[1].as.i64 = -1;
  if (cairn_call(cairn_find(module, "gcd"), numbers, 2, &result, &trap) == CAIRN_BAD_ARGUMENT) printf("%s\n", cairn_problem(module));

  fflush(stdout);
  int32_t status = 0;
  cairn_run_main(module, &status);
  printf("main: %d\n", status);
  cairn_vm_free(vm);
  return 0;
}
