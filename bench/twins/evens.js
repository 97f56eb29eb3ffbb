const n = 2000000;
const x = new Uint32Array(n), out = new Uint32Array(n);
function evens() {
  let kept = 0;
  for (let i = 0; i < n; i++) if (x[i] % 2 === 0) out[kept++] = x[i];
  return kept;
}
let seed = 9;
for (let i = 0; i < n; i++) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  x[i] = seed >>> 8;
}
let check = 0;
for (let round = 0; round < 150; round++) {
  const kept = evens();
  check = (Math.imul(check, 31) + out[kept >> 1]) >>> 0;
  x[0]++;
}
console.log(String(check));
