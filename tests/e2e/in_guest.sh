#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the guest, in the folder that holds the models, and speaks KTAP: what accelctl
# must do on any provider, and how it must refuse.

. /bin/ktap.sh

digits="accelctl run digits.tosa"

runs "accelctl info" accelctl info
runs "accelctl selftest" accelctl selftest
runs "digits: 95 % or better" $digits --input images=images.npy --labels logits=labels.npy --require 95
says "digits: the accuracy that was trained" "accuracy: 97.56 % (439 of 450)"
runs "digits: every prediction as computed by NumPy" \
	$digits --input images=images.npy --labels logits=predictions.npy --require 100
says "digits: all 450 of them" "accuracy: 100.00 % (450 of 450)"

# cnn TYPE IMAGES
cnn() {
	model="accelctl run cnn-$1.tosa --input images=$2"
	runs "CNN, $1" $model --labels logits=labels.npy
	says "CNN, $1: the accuracy that was trained" "accuracy: 98.67 % (444 of 450)"
	runs "CNN, $1: every prediction as computed by NumPy" $model --output logits=/tmp/cnn-$1.npy \
		--labels logits=cnn-$1.predictions.npy --require 100
	says "CNN, $1: all 450 of them" "accuracy: 100.00 % (450 of 450)"
}
cnn fp32 images.npy
cnn int8 cnn-int8.images.npy
same "CNN, int8: every logit as computed by NumPy" /tmp/cnn-int8.npy cnn-int8.logits.npy 18000

runs "accelctl bench" accelctl bench --iterations 20

runs "identity" accelctl run identity-edges-fp32.tosa \
	--input input=identity-edges-fp32.input.npy --output output=/tmp/identity.npy
same "identity keeps every bit pattern" /tmp/identity.npy identity-edges-fp32.expected.npy 128
runs "matmul" accelctl run matmul-fp32.tosa --input lhs=matmul-fp32.lhs.npy \
	--input rhs=matmul-fp32.rhs.npy --output output=/tmp/matmul.npy
same "matmul is exact on small integers" /tmp/matmul.npy matmul-fp32.expected.npy 16

refused="--output logits=/tmp/refused.npy"
refuses "an output that is full" "accelctl: its output cannot be written" \
	sh -c 'accelctl info >/dev/full'
refuses "a model that is not there" "none.tosa: No such file" accelctl run none.tosa
refuses "a file that is not TOSA" "not-tosa.bin: " accelctl run not-tosa.bin
refuses "an operator that no provider has" "does not run this model" \
	accelctl run custom-fp32.tosa --input input=identity-edges-fp32.input.npy \
	--output output=/tmp/refused.npy
refuses "an input that is not there" "none.npy: No such file" \
	$digits --input images=none.npy $refused
refuses "an input of another shape and type" "labels.npy: " $digits --input images=labels.npy $refused
refuses "an input that is no array" "not-tosa.bin: " $digits --input images=not-tosa.bin $refused
refuses "an input that the model has not" "no input 'nothing'" \
	$digits --input nothing=images.npy $refused
refuses "no input" "input 'images' is missing" $digits $refused
refuses "an output that the model has not" "no output 'nothing'" \
	$digits --input images=images.npy --output nothing=/tmp/refused.npy
refuses "labels that do not fit" "identity-edges-fp32.input.npy: " \
	$digits --input images=images.npy --labels logits=identity-edges-fp32.input.npy $refused
refuses "an accuracy that is not reached" "is below the required 99 %" \
	$digits --input images=images.npy --labels logits=labels.npy --require 99 $refused
refuses "a node that is no accelerator" "/dev/null: " \
	$digits --device /dev/null --input images=images.npy $refused
refuses "an output that cannot be written" "/nowhere/out.npy" \
	$digits --input images=images.npy --output logits=/nowhere/out.npy

rmmod virtio_accel
report $? "the driver can be removed, so nothing is left in it"
refuses "a guest without the driver" "no virtio-accel device" accelctl info

closing
