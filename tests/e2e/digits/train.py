#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the digits model and writes it, its held-out images and what to expect.

    python3 tests/e2e/digits/train.py [FOLDER]     (default: this folder)
"""

import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "fixtures"))

import tosa_file  # noqa: E402

HELD_OUT = 450
HIDDEN = 32

# What a provider may lose in a sum of k products, times the sum of their magnitudes:
# they add in different orders, fused or not.
ROUNDING = 2.0**-23
SLACK = 64


def train(images, labels):
    model = MLPClassifier((HIDDEN,), alpha=0.1, max_iter=400, random_state=0)
    model.fit(images, labels)
    weights = [w.astype(np.float32) for w in model.coefs_]
    biases = [b.astype(np.float32) for b in model.intercepts_]
    return weights, biases


def logits_of(images, weights, biases):
    hidden = np.maximum(images @ weights[0] + biases[0], np.float32(0))
    return hidden @ weights[1] + biases[1]


def logit_error(images, weights, biases):
    """The most by which any provider's logits may differ from the exact ones."""
    first, second = (np.abs(w.astype(np.float64)) for w in weights)
    hidden = np.abs(images.astype(np.float64)) @ first + np.abs(biases[0])
    hidden_error = (images.shape[1] + SLACK) * ROUNDING * hidden
    magnitude = (hidden + hidden_error) @ second + np.abs(biases[1])
    return hidden_error @ second + (HIDDEN + SLACK) * ROUNDING * magnitude


def model_of(weights, biases):
    largest = np.finfo(np.float32).max
    hidden, classes = [1, HELD_OUT, HIDDEN], [1, HELD_OUT, 10]
    block = tosa_file.Block()

    x = block.input("images", [1, HELD_OUT, 64])
    w0 = block.constant("hidden.weights", weights[0][None])
    b0 = block.constant("hidden.bias", biases[0][None, None])
    w1 = block.constant("output.weights", weights[1][None])
    b1 = block.constant("output.bias", biases[1][None, None])

    x = block.matmul(x, w0, "hidden.product", hidden)
    x = block.operator("ADD", "Add", [x, b0], [block.tensor("hidden.sum", hidden)])
    x = block.operator("CLAMP", "Clamp", [x], [block.tensor("hidden", hidden)],
                       min_val=tosa_file.scalar_bytes(0), max_val=tosa_file.scalar_bytes(largest),
                       nan_mode="PROPAGATE")
    x = block.matmul(x, w1, "output.product", classes)
    x = block.operator("ADD", "Add", [x, b1], [block.tensor("logits", classes)])
    block.output(x)
    return block


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    digits = load_digits()
    images, held_out, labels, expected = train_test_split(
        (digits.data / 16).astype(np.float32), digits.target.astype(np.int32),
        test_size=HELD_OUT, stratify=digits.target, random_state=0)

    weights, biases = train(images, labels)
    logits = logits_of(held_out, weights, biases)
    predictions = logits.argmax(axis=1).astype(np.int32)
    exact = logits_of(held_out.astype(np.float64), weights, biases)
    runner_up, best = np.sort(exact, axis=1)[:, -2:].T
    margin = best - runner_up
    error = logit_error(held_out, weights, biases).max(axis=1)
    correct = (predictions == expected).mean()
    print(f"{correct:.2%} of {HELD_OUT} held-out images right")
    print(f"least top-2 margin {margin.min():.4f}; margin / rounding error at least "
          f"{(margin / error).min():.1f}, 2 needed")
    if (margin <= 2 * error).any():
        sys.exit("train.py: rounding could change a prediction")

    model_of(weights, biases).write(folder / "digits.tosa")
    np.save(folder / "images.npy", held_out[None])
    np.save(folder / "labels.npy", expected)
    np.save(folder / "predictions.npy", predictions)
    np.save(folder / "logits.npy", logits[None])


if __name__ == "__main__":
    main()
