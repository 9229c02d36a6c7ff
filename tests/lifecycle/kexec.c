// SPDX-License-Identifier: MIT
/* kexec KERNEL INITRD PARAMETERS: starts another kernel now, as a shutdown would. */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <linux/reboot.h>

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "KERNEL INITRD PARAMETERS");
	if (syscall(SYS_kexec_file_load, open_file(argv[1]), open_file(argv[2]),
		    strlen(argv[3]) + 1, argv[3], 0UL))
		err(1, "kexec_file_load");
	reboot(LINUX_REBOOT_CMD_KEXEC);
	err(1, "reboot");
}
