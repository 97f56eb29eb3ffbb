const n = 100000;
const x = new Float32Array(n), y = new Float32Array(n);
const fround = Math.fround;
function saxpy(a) {
  for (let i = 0; i < n; i++) y[i] = fround(y[i] + fround(a * x[i]));
}
for (let i = 0; i < n; i++) x[i] = i % 17;
for (let round = 0; round < 20000; round++) saxpy(fround(0.001));
console.log(String(Math.trunc(fround(y[n >> 1] * fround(1000)))));
