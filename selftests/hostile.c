// SPDX-License-Identifier: MIT
/*
 * What the driver makes of a device that tells one lie (tests/hostile): the errno of
 * the call that meets the lie, and what becomes of everybody else.
 *
 * VACCEL_LIE says what to expect, in the words of tests/hostile/lies: the number of the
 * lie, where it shows, the errnos that are right, and what is so afterwards.
 */
#include "kselftest_harness.h"
#include "hostile_calls.h"

#include <sched.h>

/* Whether @error is one of @names, which stand between bars: "0|EBUSY". */
static bool is_among(int error, const char *names)
{
	const char *name = error ? strerrorname_np(error) : "0";
	const char *at = names;
	size_t length = strlen(name);

	while ((at = strstr(at, name))) {
		if ((at == names || at[-1] == '|') && (!at[length] || at[length] == '|'))
			return true;
		at += length;
	}
	return false;
}

/* Every call that needs the device fails, and every call returns. */
static int all_is_lost(const struct vaccel_session *session)
{
	__u8 data[VACCEL_BUF_SIZE] = { 0 };
	__u32 handle;
	int fd = session->fd;

	/* The call that met the lie may return a moment before all others are refused. */
	while (vaccel_ctx_create(fd, &handle) != ENODEV)
		sched_yield();
	if (vaccel_buf_create(fd, session->ctx, 1, &handle) != ENODEV ||
	    vaccel_buf_write(fd, session->buf, 0, data, sizeof(data)) != ENODEV ||
	    vaccel_buf_read(fd, session->buf, 0, data, sizeof(data)) != ENODEV ||
	    vaccel_queue_create(fd, session->ctx, &handle) != ENODEV ||
	    vaccel_session_submit(session, &handle) != ENODEV)
		return TRIAL_WRONG;
	return vaccel_buf_close(fd, session->buf) ?: vaccel_prog_unload(fd, session->prog) ?:
	       vaccel_queue_destroy(fd, session->queue) ?: vaccel_ctx_destroy(fd, session->ctx);
}

TEST(a_lie)
{
	const char *text = getenv("VACCEL_LIE");
	char where[32], errnos[32], after[8];
	struct drm_virtio_accel_device_info info;
	const struct place *place;
	struct trial trial;
	unsigned int number;
	int error;

	if (!text)
		SKIP(return, "this device tells no lie that is known");
	ASSERT_EQ(4, sscanf(text, "%u %31s %31s %7s", &number, where, errnos, after));
	place = trial_place(where);
	ASSERT_NE(NULL, place);

	trial.fd = vaccel_open();
	if (!strcmp(after, "absent")) {
		ASSERT_EQ(-1, trial.fd);
		return;
	}
	ASSERT_LE(0, trial.fd);
	ASSERT_EQ(0, vaccel_query(trial.fd, &info));
	ASSERT_EQ(number, info.device_id); /* the device is at the same lie */
	ASSERT_EQ(0, vaccel_session_create(vaccel_open(), &trial.bystander));
	ASSERT_EQ(0, trial_use(&trial.bystander));

	if (place->prepare)
		ASSERT_EQ(0, place->prepare(&trial));
	error = place->meet(&trial);
	ASSERT_TRUE(is_among(error, errnos))
		TH_LOG("errno %d (%s)", error, strerror(error));

	if (!strcmp(after, "lost")) {
		EXPECT_EQ(0, all_is_lost(&trial.bystander));
		return;
	}
	EXPECT_EQ(0, trial_use(&trial.bystander));
	if (!strcmp(after, "again"))
		EXPECT_EQ(0, place->meet(&trial));
}

TEST_HARNESS_MAIN
