#!/usr/bin/env python3
"""derive grad against PyTorch's autograd: gradients.py [--cairn FILE] [--points N]. The functions are those of
tests/programs/gradient_functions.py, written again for torch; values and derivatives must agree to 1e-12, relative to
the larger of 1 and themselves."""
import argparse, pathlib, subprocess, sys, tempfile

try:
    import torch
except ImportError:
    print("skipped: this needs PyTorch (pip install torch)")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "programs"))
from gradient_functions import VALUES, WEIGHTS, WRITES, points, program, records

exp, log, sqrt, tanh = torch.exp, torch.log, torch.sqrt, torch.tanh


def leaky(v):
    return torch.nn.functional.leaky_relu(v, 0.01)


def unit(w, a, b):
    return tanh(w[0] * a + w[1] * b + w[2])


def huber(off, bound):
    return torch.nn.functional.huber_loss(off, torch.zeros_like(off), delta=bound)


def divergence(x):
    p, q = x[:4] / x[:4].sum(), x[4:] / x[4:].sum()
    return (p * (log(p) - log(q))).sum()


def shared_subterm(x):
    a = x[0] * x[1]
    b = a + x[2]
    return a * b * b - a


TORCH = {
    "polynomial": lambda x: x[0] ** 2 * x[1] - 3 * x[2] * x[3] + x[4],
    "quotient": lambda x: (x[0] + x[1] * x[2]) / (1 + x[3] ** 2) - x[4] / x[5],
    "hypotenuse": lambda x: sqrt(x[0] ** 2 + x[1] ** 2 + 1),
    "magnitudes": lambda x: abs(x[0] - 3) * x[1] + abs(x[2] + 1),
    "exponential": lambda x: exp(-x[0] * x[1]) + x[2],
    "logarithm": lambda x: log(x[0] + x[1] ** 2) * x[2],
    "power": lambda x: x[0] ** x[1],
    "entropy_term": lambda x: -x[0] * log(x[0]) - (2 - x[0]) * log(2 - x[0]),
    "gaussian": lambda x: -0.5 * ((x[0] - x[1]) / x[2]) ** 2 - log(x[2]),
    "roundings": lambda x: x[0] * x[1] + torch.floor(x[2]) * torch.trunc(x[3]) - torch.ceil(x[4]),
    "shared_subterm": shared_subterm,
    "sum": lambda x: x.sum() ** 2,
    "exact_sum": lambda x: sqrt((x * x).sum()),
    "mean_square": lambda x: (x * x).mean(),
    "variance": lambda x: x.var(),
    "descending_sum": lambda x: -(x / torch.arange(1, 9, dtype=x.dtype)).sum() * x[0],
    "neighbours": lambda x: ((x[1:] - x[:-1]) ** 2).sum(),
    "log_sum_exp": lambda x: torch.logsumexp(x, 0),
    "softmax": lambda x: torch.softmax(x, 0)[2],
    "cross_entropy": lambda x: torch.nn.functional.cross_entropy(x, torch.tensor(5)),
    "logistic_loss": lambda x: torch.nn.functional.binary_cross_entropy_with_logits(
        x[0] * x[4] + x[1] * x[5] + x[2], torch.ones((), dtype=x.dtype)),
    "squared_loss": lambda x: (x[0] * x[4] + x[1] * x[5] + x[2] - x[3]) ** 2,
    "huber_near": lambda x: huber(x[0] - x[1], 9.0),
    "huber_far": lambda x: huber(x[0] * 9 + x[1] + 3, 1.0),
    "hinge": lambda x: torch.relu(1 + x[0] * x[1]) ** 2,
    "branches": lambda x: x[1] if x[0] > 99 else (x[0] * x[2]) ** 2 if x[1] > 0 else x[3],
    "leaky_units": lambda x: (leaky(x - 5) * x).sum(),
    "dense_unit": lambda x: tanh(torch.dot(x[:4], x[4:])),
    "dense_layers": lambda x: torch.sigmoid(x[6] * unit(x[0:3], 0.3, -0.7) + x[7] * unit(x[3:6], 0.3, -0.7)),
    "cosine": lambda x: torch.dot(x[:4], x[4:]) / (x[:4].norm() * x[4:].norm()),
    "divergence": divergence,
    "call_chain": lambda x: torch.nn.functional.softplus(torch.sigmoid(tanh(x[0]) * x[1]) + x[2]),
    "across_types": lambda x: x[1] * x[2] + 0 * x[0].float().double(),
    "scaled": lambda x: x * 3,
    "curved": lambda x: x * x / (1 + x * x) + sqrt(x),
    "activated": lambda x: exp(-x) * x,
    "normalized": lambda x: x / sqrt((x * x).mean()),
    "softmax_layer": lambda x: torch.softmax(x, 0),
    "layer_of_calls": lambda x: tanh(x) * x,
    "lit_by_one": lambda x: x * (x[0] * x[1]),
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--cairn", default=str(ROOT / "build" / "cairn"))
    options.add_argument("--points", type=int, default=50)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "gradients.cairn"
        path.write_text(program(options.points))
        told = subprocess.run([options.cairn, "run", str(path)], capture_output=True, text=True, check=True).stdout
    names = [*VALUES, *WRITES]
    lines = list(records(told))
    worst, wrong = dict.fromkeys(names, 0.0), 0
    weights = torch.tensor(WEIGHTS, dtype=torch.float64)
    for at, point in enumerate(points(options.points)):
        for name, value, slope, _ in lines[at * len(names):(at + 1) * len(names)]:
            x = torch.tensor(point, dtype=torch.float64, requires_grad=True)
            wanted = TORCH[name](x)
            if name in WRITES:
                wanted = (wanted * weights).sum()
            wanted.backward()
            for got, exact in zip([value, *slope], [wanted.item(), *x.grad.tolist()]):
                worst[name] = max(worst[name], abs(got - exact) / max(1.0, abs(exact)))
    for name, off in worst.items():
        wrong += off > 1e-12
        print(f"{name:18}{'WRONG' if off > 1e-12 else 'agrees'}, off by {off:.1e} at most over {options.points} points")
    print(f"{len(names) - wrong} of {len(names)} functions agree")
    sys.exit(wrong != 0)


main()
