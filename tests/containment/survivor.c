// SPDX-License-Identifier: MIT
/*
 * A guest's process whose device is lost again and again:
 *
 *   survivor LOSSES
 *
 * It says what it is at, "at load", "at submit", "at transfer" or "at idle", and does that until
 * the device is lost, which is what the host shall cause then. Then it gives the device a new
 * life, does one job of each kind, and is at the next. Nothing but ENODEV may come of a loss.
 */
#include "../../selftests/vaccel_util.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRIVER "/sys/bus/virtio/drivers/virtio_accel/"
#define LARGE (1 << 20)

static __u8 sent[LARGE], received[LARGE];

static int load(const struct vaccel_session *session)
{
	struct vaccel_artifact copy = vaccel_artifact(VACCEL_XOR, VACCEL_XOR_SLOT, VACCEL_NO_SLOT, 1);
	__u32 prog;
	int error = vaccel_prog_load(session->fd, session->ctx, copy, &prog);

	return error ?: vaccel_prog_unload(session->fd, prog);
}

static int submit(const struct vaccel_session *session)
{
	__u32 event;
	int error = vaccel_session_submit(session, &event);

	error = error ?: vaccel_wait_complete(session->fd, event);
	return error ?: vaccel_event_destroy(session->fd, event, 0);
}

static int transfer(const struct vaccel_session *session)
{
	__u32 buf;
	int error = vaccel_buf_create(session->fd, session->ctx, LARGE, &buf);

	if (error)
		return error;
	error = vaccel_buf_write(session->fd, buf, 0, sent, LARGE);
	error = error ?: vaccel_buf_read(session->fd, buf, 0, received, LARGE);
	if (!error && memcmp(sent, received, LARGE))
		errx(1, "what was read is not what was written");
	return vaccel_buf_close(session->fd, buf) ?: error;
}

static int idle(const struct vaccel_session *session)
{
	__u32 ctx;
	int error;

	usleep(200000);
	error = vaccel_ctx_create(session->fd, &ctx);
	return error ?: vaccel_ctx_destroy(session->fd, ctx);
}

static const struct {
	const char *name;
	int (*once)(const struct vaccel_session *session);
} kinds[] = {
	{ "load", load }, { "submit", submit }, { "transfer", transfer }, { "idle", idle },
};

static void write_device(const char *file, const char *device)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, device, strlen(device)) < 0)
		err(1, "%s", file);
	close(fd);
}

/* Unbinds the driver and binds it again, which resets the device. */
static void renew(void)
{
	glob_t found;
	char *device;

	if (glob(DRIVER "virtio*", 0, NULL, &found) || found.gl_pathc != 1)
		errx(1, "no device");
	device = strdup(strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	write_device(DRIVER "unbind", device);
	write_device(DRIVER "bind", device);
	free(device);
}

static struct vaccel_session begin(void)
{
	struct vaccel_session session;
	int fd = vaccel_open(), error;

	if (fd < 0)
		err(1, "open");
	error = vaccel_session_create(fd, &session);
	if (error)
		errx(1, "a new life begins with: %s", strerror(error));
	return session;
}

int main(int argc, char **argv)
{
	int losses = argc == 2 ? atoi(argv[1]) : 0;
	struct vaccel_session session = begin();

	for (size_t i = 0; i < LARGE; i++)
		sent[i] = (__u8)(i * 7 + i / 251);
	setlinebuf(stdout);
	for (int n = 0; n <= losses; n++) {
		size_t kind = (size_t)n % ARRAY_COUNT(kinds);
		int error = 0;

		for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
			error = kinds[i].once(&session);
			if (error)
				errx(1, "%s in a new life: %s", kinds[i].name, strerror(error));
		}
		if (n == losses)
			break;
		printf("at %s\n", kinds[kind].name);
		while (!error)
			error = kinds[kind].once(&session);
		if (error != ENODEV)
			errx(1, "%s: %s", kinds[kind].name, strerror(error));
		close(session.fd);
		renew();
		session = begin();
	}
	printf("survived %d\n", losses);
	return 0;
}
