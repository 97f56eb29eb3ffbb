const n = 1000;
const a = new Float64Array(n * n), b = new Float64Array(n * n), c = new Float64Array(n * n);
function multiply() {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      const x = a[i * n + k];
      for (let j = 0; j < n; j++) c[i * n + j] += x * b[k * n + j];
    }
  }
}
for (let i = 0; i < n * n; i++) {
  a[i] = (i % 7) - 3;
  b[i] = (i % 5) * 0.5;
}
multiply();
let sum = 0;
for (let i = 0; i < n * n; i++) sum += c[i] * (i % 3);
console.log(String(sum));
