const n = 65536;
const keys = new Uint32Array(n), counts = new Uint32Array(n);
function slotOf(key) {
  let slot = Math.imul(key, 2654435769) >>> 16;
  while (keys[slot] !== key) {
    if (keys[slot] === 0) {
      keys[slot] = key;
      return slot;
    }
    slot = (slot + 1) % n;
  }
  return slot;
}
let x = 1;
for (let round = 0; round < 120000000; round++) {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  counts[slotOf((x >>> 8) % 40000 + 1)]++;
}
let used = 0, most = 0;
for (let i = 0; i < n; i++) {
  if (keys[i] !== 0) used++;
  most = Math.max(most, counts[i]);
}
console.log(`${used} ${most}`);
