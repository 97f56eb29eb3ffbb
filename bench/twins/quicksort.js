const n = 4000000;
const items = new Uint32Array(n);
function sort(from, to) {
  if (to - from < 2) return;
  const pivot = items[from + ((to - from) >> 1)];
  let lo = from, hi = to - 1;
  for (;;) {
    while (items[lo] < pivot) lo++;
    while (items[hi] > pivot) hi--;
    if (lo >= hi) break;
    const swapped = items[lo];
    items[lo++] = items[hi];
    items[hi--] = swapped;
  }
  sort(from, lo);
  sort(lo, to);
}
let x = 1;
for (let i = 0; i < n; i++) {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  items[i] = x;
}
sort(0, n);
let good = 0;
for (let i = 1; i < n; i++) if (items[i - 1] <= items[i]) good++;
console.log(`${good} ${items[n >> 1]}`);
