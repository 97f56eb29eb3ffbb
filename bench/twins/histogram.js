const n = 6000000;
const bytes = new Uint8Array(n);
const counts = new Uint32Array(256);
function count() {
  for (let i = 0; i < n; i++) counts[bytes[i]]++;
}
let x = 12345;
for (let i = 0; i < n; i++) {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  bytes[i] = x >>> 24;
}
for (let round = 0; round < 150; round++) count();
let sum = 0;
for (let i = 0; i < 256; i++) sum += counts[i] * i;
console.log(String(sum));
