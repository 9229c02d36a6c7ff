#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the digits CNN and writes it in FP32 and in INT8, and what each must give.

    python3 tests/e2e/digits-cnn/train.py [FOLDER]     (default: this folder)
"""

import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "fixtures"))

import evaluate  # noqa: E402
import graphs  # noqa: E402
import network  # noqa: E402
import quantise  # noqa: E402

HELD_OUT = 450

EPOCHS = 60
BATCH = 32
STEP = 0.002
DECAY = 0.01  # of the weights, times the step

# What a provider may lose in a sum of k products, times the sum of their magnitudes:
# they add in different orders, fused or not.
ROUNDING = 2.0**-23
SLACK = 64


def train(images, labels):
    """Adam on the cross entropy, with decoupled decay of the weights."""
    random = np.random.default_rng(0)
    parameters = network.initial(random)
    means = [np.zeros_like(p) for p in parameters]
    squares = [np.zeros_like(p) for p in parameters]
    steps = 0
    for epoch in range(EPOCHS):
        rate = STEP * (1 - epoch / EPOCHS)
        for batch in np.array_split(random.permutation(len(images)), len(images) // BATCH):
            steps += 1
            gradients = network.gradients(images[batch], labels[batch], parameters)
            for p, g, mean, square in zip(parameters, gradients, means, squares):
                mean += 0.1 * (g - mean)
                square += 0.001 * (g * g - square)
                scale = np.sqrt(square / (1 - 0.999**steps)) + 1e-8
                decay = DECAY * p if p.ndim == 2 else 0  # biases keep theirs
                p -= rate * (mean / (1 - 0.9**steps) / scale + decay)
    return [p.astype(np.float32) for p in parameters]


def logit_error(images, parameters):
    """The most by which any provider's logits may differ from the exact ones: each layer
    adds some, and passes its input's on. CLAMP and MAX_POOL2D add none."""
    values = images.astype(np.float64)
    error = np.zeros_like(values)
    for layer in network.LAYERS:
        weights, bias = (p.astype(np.float64) for p in layer.of(parameters))
        magnitude = layer.product(np.abs(values) + error, np.abs(weights)) + np.abs(bias)
        error = (layer.product(error, np.abs(weights))
                 + (len(weights) + SLACK) * ROUNDING * magnitude)
        values = layer.product(values, weights) + bias
        if layer.pooled:
            values, error = network.pool(np.maximum(values, 0)), network.pool(error)
    return error


def check_floats(logits, images, parameters):
    """No provider's rounding changes a prediction, and NumPy's is within its bounds."""
    exact = network.logits(images.astype(np.float64), parameters)
    error = logit_error(images, parameters)
    if (np.abs(logits - exact) > error).any():
        sys.exit("train.py: the FP32 file does not compute the network that was trained")
    runner_up, best = np.sort(exact, axis=1)[:, -2:].T
    margin, error = best - runner_up, error.max(axis=1)
    print(f"FP32: least top-2 margin {margin.min():.4f}; margin / rounding error at least "
          f"{(margin / error).min():.1f}, 2 needed")
    if (margin <= 2 * error).any():
        sys.exit("train.py: rounding could change a prediction")


def save(folder, name, logits, labels):
    predictions = logits.argmax(axis=1).astype(np.int32)
    right = (predictions == labels).sum()
    print(f"{name}: {right / len(labels):.2%} of {len(labels)} held-out images right ({right})")
    np.save(folder / f"{name}.predictions.npy", predictions)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    digits = load_digits()
    images, held_out, labels, expected = train_test_split(
        (digits.data / 16).astype(np.float32), digits.target.astype(np.int32),
        test_size=HELD_OUT, stratify=digits.target, random_state=0)

    parameters = train(images.astype(np.float64), labels)
    graphs.floating(parameters, HELD_OUT).write(folder / "cnn-fp32.tosa")
    logits = evaluate.run(folder / "cnn-fp32.tosa", held_out[None])[0]
    check_floats(logits, held_out, parameters)
    save(folder, "cnn-fp32", logits, expected)

    quantised = quantise.quantise(parameters, images)
    inputs = quantise.image_bytes(held_out)
    graphs.integer(quantised, HELD_OUT).write(folder / "cnn-int8.tosa")
    logits = evaluate.run(folder / "cnn-int8.tosa", inputs[None])[0]
    if (logits != quantise.logits(inputs, quantised)).any():
        sys.exit("train.py: the INT8 file does not compute the network that was quantised")
    save(folder, "cnn-int8", logits, expected)
    np.save(folder / "cnn-int8.images.npy", inputs[None])
    np.save(folder / "cnn-int8.logits.npy", logits[None])


if __name__ == "__main__":
    main()
