// A host with a console: what a person enters is checked and run as in `cairn repl`, over functions of the host.
#include <cairn.hpp>

#include <cstdio>
#include <string>

int main() {
  cairn_options options = cairn_default_options();
  options.wall_ms = 1000;  // of each statement
  options.output = [](void*, bool, const char* bytes, size_t count) { std::fwrite(bytes, 1, count, stdout); };
  cairn::embed::Machine machine(options);
  double gain = 1.0;
  machine.add<void(double)>("fn set_gain(to:f64) effects(io)", [&](double to) { gain = to; });

  cairn::embed::Session session(machine);
  for (const char* const text : {"import host;", "fn decibels(x:f64) -> f64 = x * 0.5;", "let mut level:f64 = 12.0;",
                                 "level /= 2.0;", "decibels(level)", "unsafe { host.set_gain(level); }",
                                 "level = true;", "let xs = Buf[u8](2);", "xs[2]", "level"}) {
    std::printf("> %s\n", text);
    const auto entered = session.enter(text);
    if (entered.value) std::printf("%s : %s\n", entered.value->c_str(), entered.type.c_str());
    if (!entered.good) std::printf("%s: %s\n", entered.trapped ? "trapped" : "refused", entered.code.c_str());
  }
  std::printf("the gain is %.1f\n", gain);
  return 0;
}
