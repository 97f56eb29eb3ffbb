// Sums stay below 2^53, where doubles hold every integer.
const n = 1000000;
const x = new Float64Array(n), out = new Float64Array(n);
function prefix() {
  let total = 0;
  for (let i = 0; i < n; i++) {
    total += x[i];
    out[i] = total;
  }
}
for (let i = 0; i < n; i++) x[i] = i * 7919 % 1000;
let check = 0;
for (let round = 0; round < 400; round++) {
  prefix();
  check = (check * 31 + out[n - 1]) % 1000003;
  x[round] += 1;
}
console.log(`${check} ${out[n >> 1]}`);
