const n = 4000;
function entry(i, j) { return 1 / ((i + j) * (i + j + 1) / 2 + i + 1); }
function times(v, out) {
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += entry(i, j) * v[j];
    out[i] = sum;
  }
}
function transposed(v, out) {
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += entry(j, i) * v[j];
    out[i] = sum;
  }
}
const u = new Float64Array(n).fill(1), v = new Float64Array(n), between = new Float64Array(n);
for (let round = 0; round < 10; round++) {
  times(u, between);
  transposed(between, v);
  times(v, between);
  transposed(between, u);
}
let uv = 0, vv = 0;
for (let i = 0; i < n; i++) {
  uv += u[i] * v[i];
  vv += v[i] * v[i];
}
console.log(String(Math.trunc(Math.sqrt(uv / vv) * 1e12)));
