// The samples as other tools read them: folded stacks, speedscope, a page with a flame graph.
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "vm/profile/report.hpp"

namespace cairn::profile {
namespace {

/// Frames of a stack from the root on.
std::vector<std::uint32_t> stack_of(const Report::OneThread& thread, std::uint32_t node) {
  std::vector<std::uint32_t> frames;
  for (; node != Samples::kRoot; node = thread.nodes[node].parent) frames.push_back(thread.nodes[node].frame);
  return {frames.rbegin(), frames.rend()};
}

struct Flame {
  std::uint64_t nanoseconds = 0;  // of it and what it called
  std::map<std::uint32_t, Flame> called;
};

nlohmann::ordered_json flame_tree(const Flame& flame, std::string_view name, const Report& report) {
  nlohmann::ordered_json called = nlohmann::ordered_json::array();
  for (const auto& [frame, each] : flame.called) called.push_back(flame_tree(each, report.frames[frame].name, report));
  return {{"n", name}, {"v", flame.nanoseconds / 1000}, {"c", std::move(called)}};
}

constexpr std::string_view kPageBegin = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>cairn run --profile</title>
<style>
body { font: 13px sans-serif; margin: 12px; }
#told { min-height: 1.5em; }
#graph { position: relative; }
#graph div { position: absolute; box-sizing: border-box; height: 18px; overflow: hidden; white-space: nowrap;
  padding: 1px 3px; border: 1px solid #fff; border-radius: 3px; cursor: pointer; color: #222; }
#graph div.found { outline: 2px solid #06c; }
</style>
<p><input id="wanted" placeholder="find a function"> <button id="whole">whole graph</button></p>
<p id="told"></p>
<div id="graph"></div>
<script>
const profile = )";

constexpr std::string_view kPageEnd = R"(;
const graph = document.getElementById('graph'), told = document.getElementById('told');
const wanted = document.getElementById('wanted');
let top_of = profile;
const color = name => {
  let h = 0;
  for (const c of name) h = (h * 31 + c.codePointAt(0)) % 40;
  return `hsl(${15 + h}, 85%, ${68 + h % 12}%)`;
};
const share = node => `${node.n}: ${(node.v / 1000).toFixed(1)} ms, ${(100 * node.v / profile.v).toFixed(1)}%`;
function draw() {
  graph.replaceChildren();
  let deepest = 0;
  const place = (node, left, width, depth) => {
    if (width * graph.clientWidth < 1) return;
    deepest = Math.max(deepest, depth);
    const box = document.createElement('div');
    box.textContent = node.n;
    box.title = share(node);
    box.style.left = 100 * left + '%';
    box.style.width = 100 * width + '%';
    box.style.top = 19 * depth + 'px';
    box.style.background = color(node.n);
    if (wanted.value && node.n.includes(wanted.value)) box.className = 'found';
    box.onmouseenter = () => { told.textContent = share(node); };
    box.onclick = () => { top_of = node; draw(); };
    graph.append(box);
    for (const called of node.c) {
      place(called, left, width * called.v / node.v, depth + 1);
      left += width * called.v / node.v;
    }
  };
  place(top_of, 0, 1, 0);
  graph.style.height = 19 * (deepest + 1) + 'px';
  told.textContent = share(top_of);
}
document.getElementById('whole').onclick = () => { top_of = profile; draw(); };
wanted.oninput = draw;
window.onresize = draw;
draw();
</script>
</html>
)";

}  // namespace

std::string folded(const Report& report) {
  std::map<std::string, std::uint64_t> stacks;
  for (const Report::OneThread& thread : report.threads) {
    for (std::uint32_t node = 0; node < thread.nodes.size(); ++node) {
      if (thread.nodes[node].count == 0) continue;
      std::string stack;
      for (const std::uint32_t frame : stack_of(thread, node)) {
        stack += (stack.empty() ? "" : ";") + report.frames[frame].name;
      }
      stacks[stack] += thread.nodes[node].count;
    }
  }
  std::string text;
  for (const auto& [stack, count] : stacks) text += stack + " " + std::to_string(count) + "\n";
  return text;
}

std::string speedscope(const Report& report) {
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (const Frame& each : report.frames) {
    nlohmann::ordered_json frame{{"name", each.name}};
    if (!each.file.empty()) {
      frame["file"] = each.file;
      frame["line"] = each.line;
    }
    frames.push_back(std::move(frame));
  }
  nlohmann::ordered_json profiles = nlohmann::ordered_json::array();
  for (const Report::OneThread& thread : report.threads) {
    nlohmann::ordered_json samples = nlohmann::ordered_json::array();
    nlohmann::ordered_json weights = nlohmann::ordered_json::array();
    std::uint64_t end = 0;
    for (const Samples::Event& event : thread.events) {
      samples.push_back(stack_of(thread, event.node));
      const std::uint64_t weight = std::uint64_t{event.microseconds} * 1000;
      weights.push_back(weight);
      end += weight;
    }
    profiles.push_back({{"type", "sampled"},
                        {"name", thread.name},
                        {"unit", "nanoseconds"},
                        {"startValue", 0},
                        {"endValue", end},
                        {"samples", std::move(samples)},
                        {"weights", std::move(weights)}});
  }
  const nlohmann::ordered_json file{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                                    {"shared", {{"frames", std::move(frames)}}},
                                    {"profiles", std::move(profiles)},
                                    {"activeProfileIndex", 0},
                                    {"exporter", "cairn"}};
  return file.dump() + "\n";
}

std::string flame_graph(const Report& report) {
  Flame root;
  for (const Report::OneThread& thread : report.threads) {
    for (std::uint32_t node = 0; node < thread.nodes.size(); ++node) {
      if (thread.nodes[node].nanoseconds == 0) continue;
      Flame* at = &root;
      at->nanoseconds += thread.nodes[node].nanoseconds;
      for (const std::uint32_t frame : stack_of(thread, node)) {
        at = &at->called[frame];
        at->nanoseconds += thread.nodes[node].nanoseconds;
      }
    }
  }
  std::string tree = flame_tree(root, "all", report).dump();
  // A name may not end the script it stands in.
  for (std::size_t at = 0; (at = tree.find('<', at)) != std::string::npos;) tree.replace(at, 1, "\\u003c");
  return std::string(kPageBegin) + tree + std::string(kPageEnd);
}

}  // namespace cairn::profile
