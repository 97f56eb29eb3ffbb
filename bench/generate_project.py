#!/usr/bin/env python3
"""Writes a project of many modules, to measure how the front end grows: generate_project.py FOLDER MODULES LINES.

LINES is the length of the whole project, MODULES the number of its files and modules. A module holds what programs hold:
records, sums, traits and their impls, generic functions called at several types, owners that are built and moved, views
that are lent, closures, ceilings and tests; and it calls the three modules before it by their imports."""
import pathlib, sys

HEAD = """\
// Module {m}: shares of stock {m}, valued and ranked.
module stock{m};
import std.core (Option, Result);
import std.vec as vec;
import std.vec (Vec);
{imports}
pub const LIMIT:u64 = {limit};
pub enum Fault {{ Empty; Above(u64); }}
pub trait Weigh {{ fn grams(self:ro<Self>) -> u64 pure; }}
pub fn clamp(x:u64, most:u64) -> u64 {{
  if x > most {{ return most; }}
  return x;
}}
pub fn best[T:copy](n:usize, xs:ro<T>[n], better:ro<fn(T, T) -> bool>) -> Option[T] {{
  if n == 0 {{ return None; }}
  let mut top = xs[0];
  for x in xs {{ if better(x, top) {{ top = x; }} }}
  return Some(top);
}}
"""
UNIT = """\

// What lot {k} of stock {m} holds.
pub struct Lot{k} {{ id:u32; price:u64; share:f64; open:bool; }}
pub enum State{k} {{ Idle; Held(u64); Gone(Fault); }}
impl Weigh for Lot{k} {{ fn grams(self:ro<Self>) -> u64 = self.price % 64 + {a}; }}

pub fn open{k}(id:u32, price:u64) -> Result[Lot{k}, Fault] {{
  if price == 0 {{ return Err(Fault.Empty); }}
  if price > LIMIT {{ return Err(Fault.Above(price)); }}
  return Ok(Lot{k}(id, price, f64(price) / {b}.0, true));
}}

pub fn state{k}(lot:ro<Lot{k}>, floor:u64) -> State{k} {{
  if !lot.open {{ return Idle; }}
  if lot.price < floor {{ return Gone(Fault.Above(floor)); }}
  return Held(lot.price - floor);
}}

pub fn score{k}(state:State{k}) -> u64 {{
  match state {{
    Idle => return 0;
    Held(left) => return clamp(left, {c});
    Gone(fault) => {{
      match fault {{ Empty => return 1; Above(by) => return clamp(by / 2, {b}); }}
    }}
  }}
}}

fn mix{k}(n:usize, row:rw<u64>[n], seed:u64) effects(pure, write:row) {{
  let mut h = seed;
  for i in 0..n {{
    h = mul_wrap(h ^ shr(h, 29), 11400714819323198485);
    row[i] = add_wrap(row[i], h % {c});
  }}
}}

pub fn prices{k}(count:usize, seed:u64) -> Buf[u64] {{
  let mut row = Buf[u64](count);
  mix{k}(row, seed);
  let mut i:usize = 0;
  while i < count {{
    if row[i] % {b} == 0 {{ row[i] = clamp(row[i], {c}); }} else {{ row[i] = row[i] ^ {a}; }}
    i += 1;
  }}
  return row;
}}

pub fn chosen{k}(count:usize) -> Result[Lot{k}, Fault] {{
  let row = prices{k}(count, {c});
  let seen = len(row);
  match best(row, |a:u64, b:u64| -> bool {{ return a > b && seen > 0; }}) {{
    Some(price) => {{
      let lot = try open{k}(u32(price % 4096), price % {c} + 1);
      return Ok(Lot{k}(lot.id + 1, lot.price{call}, lot.share * 0.5, lot.open));
    }}
    None => return Err(Fault.Empty);
  }}
}}

pub fn listed{k}(count:usize) -> Vec[Lot{k}] {{
  let mut lots:Vec[Lot{k}] = vec.with_capacity[Lot{k}](4);
  for i in 0..count {{
    let price = u64(i) * {a} + {b};
    vec.push(lots, Lot{k}(u32(i), price, 1.5, price % 2 == 0));
  }}
  return lots;
}}
"""
TEST = """
test lots_are_scored{k} {{
  assert_eq(score{k}(State{k}.Held({a})), clamp({a}, {c}));
  assert_eq(score{k}(State{k}.Idle), 0, "an idle lot scores nothing");
}}
"""


def module(m, lines):
    earlier = [m - back for back in (1, 2, 3) if m - back >= 0]
    imports = "\n".join(f"import stock{e};" for e in earlier) or "// The first module uses no other."
    text = HEAD.format(m=m, imports=imports, limit=100000 + m)
    k = 0
    while True:
        numbers = dict(k=k, m=m, a=(k * 7 + m) % 23 + 2, b=(k * 5 + m) % 11 + 3, c=(k * 13 + m) % 997 + 30)
        numbers["call"] = f" + stock{earlier[k % len(earlier)]}.clamp(lot.price, {numbers['b']})" if earlier else ""
        more = UNIT.format(**numbers) + (TEST.format(**numbers) if k % 4 == 0 else "")
        if k > 0 and text.count("\n") + more.count("\n") > lines:
            return text
        text += more
        k += 1


def write(folder, modules, lines):
    """Writes the project and returns how many lines it has: the first modules are a little longer, so that it is LINES or
    some more."""
    folder = pathlib.Path(folder)
    (folder / "src").mkdir(parents=True, exist_ok=True)
    total = 0
    for m in range(modules):
        text = module(m, (lines - total) // (modules - m) + 30)
        total += text.count("\n")
        (folder / "src" / f"stock{m}.cairn").write_text(text)
    sources = ", ".join(f'"src/stock{m}.cairn"' for m in range(modules))
    (folder / "cairn.toml").write_text(f'[project]\nname = "stocks"\nsources = [{sources}]\n')
    return total


if __name__ == "__main__":
    print(write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])), "lines")
