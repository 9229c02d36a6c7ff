#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the guest, in the folder that holds the models: what accelctl must do on the XDNA
# provider, whose kernels are for a few graphs alone.

. /bin/ktap.sh

matmul="accelctl run matmul-int8.tosa --input input0=matmul-int8.lhs.npy"
matmul="$matmul --input input1=matmul-int8.rhs.npy"

runs "accelctl info" accelctl info
runs "an INT8 product" $matmul --output output=/tmp/product.npy
same "an INT8 product is exact" /tmp/product.npy matmul-int8.expected.npy 16
runs "the same once more, from the cache" $matmul --output output=/tmp/again.npy
same "it is the same" /tmp/again.npy matmul-int8.expected.npy 16
refuses "a graph of no template" "does not run this model" \
	accelctl run matmul-fp32.tosa --input lhs=matmul-fp32.lhs.npy \
	--input rhs=matmul-fp32.rhs.npy --output output=/tmp/refused.npy
rmmod virtio_accel
report $? "the driver can be removed, so nothing is left in it"

closing
