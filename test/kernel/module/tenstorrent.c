// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stand-in for tt-kmd in drover's tests: the same name, the same device node, the same list of openers in /proc, no hardware. What
 * an agent looks at is there; what a workload would do with a device is not. DRIVER_VERSION is that of the tag; a version that ends
 * in .13 refuses to load.
 */
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "version.h"

struct opener {
	struct list_head list;
	pid_t pid;
};

static LIST_HEAD(openers);
static DEFINE_MUTEX(openers_lock);
static struct proc_dir_entry *proc_root;

static int device_open(struct inode *inode, struct file *file)
{
	struct opener *opener = kmalloc(sizeof(*opener), GFP_KERNEL);

	if (!opener)
		return -ENOMEM;
	opener->pid = task_tgid_nr(current);
	mutex_lock(&openers_lock);
	list_add_tail(&opener->list, &openers);
	mutex_unlock(&openers_lock);
	file->private_data = opener;
	return 0;
}

static int device_release(struct inode *inode, struct file *file)
{
	struct opener *opener = file->private_data;

	mutex_lock(&openers_lock);
	list_del(&opener->list);
	mutex_unlock(&openers_lock);
	kfree(opener);
	return 0;
}

static ssize_t device_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	return simple_read_from_buffer(to, count, at, DRIVER_VERSION "\n", sizeof(DRIVER_VERSION));
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.read = device_read,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tenstorrent!0",
	.nodename = "tenstorrent/0",
	.mode = 0666,
	.fops = &device_operations,
};

static int pids_show(struct seq_file *out, void *unused)
{
	struct opener *opener;

	mutex_lock(&openers_lock);
	list_for_each_entry(opener, &openers, list)
		seq_printf(out, "%d\n", opener->pid);
	mutex_unlock(&openers_lock);
	return 0;
}

static int __init stand_in_init(void)
{
	int failed;
	size_t length = strlen(DRIVER_VERSION);

	if (length > 3 && !strcmp(DRIVER_VERSION + length - 3, ".13"))
		return -ENODEV;
	proc_root = proc_mkdir("driver/tenstorrent", NULL);
	if (!proc_root)
		return -ENOMEM;
	if (!proc_create_single("pids", 0444, proc_mkdir("0", proc_root), pids_show)) {
		proc_remove(proc_root);
		return -ENOMEM;
	}
	failed = misc_register(&device);
	if (failed)
		proc_remove(proc_root);
	return failed;
}

static void __exit stand_in_exit(void)
{
	misc_deregister(&device);
	proc_remove(proc_root);
}

module_init(stand_in_init);
module_exit(stand_in_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("stand-in for tt-kmd in drover's tests");
MODULE_VERSION(DRIVER_VERSION);
