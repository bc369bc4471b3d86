/**
 * The system calls of a sandbox, for the engine: those that programs live on, and no others, so that what a later kernel
 * adds is refused until somebody has thought about it. Narrower than the profiles that engines bring along, of which the
 * older ones let through what no namespace divides: sockets to the hypervisor, and io_uring past every filter.
 */

/** Both architectures' names; an engine skips those that its kernel does not have. */
const ALLOWED = `
accept accept4 access adjtimex alarm arch_prctl bind brk cachestat capget capset chdir chmod chown
clock_adjtime clock_getres clock_gettime clock_nanosleep close close_range connect copy_file_range
creat dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd
eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fadvise64_64 fallocate
fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fcntl64 fdatasync fgetxattr flistxattr
flock fork fremovexattr fsetxattr fstat fstat64 fstatat fstatat64 fstatfs fstatfs64 fsync ftruncate
ftruncate64 futex futex_requeue futex_wait futex_waitv futex_wake futimesat get_robust_list get_thread_area getcpu getcwd getdents
getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid
getpriority getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid
gettimeofday getuid getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel
io_destroy io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get ioprio_set kill
landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat listen
listxattr llistxattr llseek lremovexattr lseek lsetxattr lstat lstat64 madvise membarrier
memfd_create mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mmap2 mprotect
mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv
msgsnd msync munlock munlockall munmap name_to_handle_at nanosleep newfstatat open openat openat2
pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl
pread64 preadv preadv2 prlimit64 process_mrelease process_vm_readv process_vm_writev pselect6 ptrace
pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recvfrom recvmmsg recvmsg
remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction
rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr
sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr
sched_setparam sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop sendfile
sendfile64 sendmmsg sendmsg sendto set_robust_list set_thread_area set_tid_address setfsgid setfsuid
setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit
setsid setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4
socketpair splice stat stat64 statfs statfs64 statx symlink symlinkat sync sync_file_range
sync_file_range2 syncfs sysinfo tee tgkill time timer_create timer_delete timer_getoverrun
timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate
truncate64 umask uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write
writev
`
  .trim()
  .split(/\s+/);

/** Unix, IPv4, IPv6, netlink: those that belong to the network namespace. */
const SOCKET_FAMILIES = [1, 2, 10, 16] as const;
/** Those under which ordinary programs run: Linux, without random addresses (debuggers), and what asks for the present one. */
const PERSONALITIES = [0x0, 0x8, 0x2_0000, 0x2_0008, 0x4_0000, 0xffff_ffff] as const;
/** Every flag of clone that makes a namespace. */
const NAMESPACE_FLAGS = 0x7e02_0000;
const ENOSYS = 38;

const ALLOW = 'SCMP_ACT_ALLOW';
const REFUSE = 'SCMP_ACT_ERRNO';

function whenFirstIs(name: string, value: number): Record<string, unknown> {
  return { names: [name], action: ALLOW, args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }] };
}

/** As the engine reads it: one string of JSON. */
export const SYSTEM_CALL_PROFILE = JSON.stringify({
  defaultAction: REFUSE,
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
  ],
  syscalls: [
    { names: ALLOWED, action: ALLOW },
    ...SOCKET_FAMILIES.map((family) => whenFirstIs('socket', family)),
    ...PERSONALITIES.map((personality) => whenFirstIs('personality', personality)),
    {
      names: ['clone'],
      action: ALLOW,
      args: [{ index: 0, value: NAMESPACE_FLAGS, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
    },
    // Its flags lie in memory, where no filter sees them; told that it does not exist, libraries use clone.
    { names: ['clone3'], action: REFUSE, errnoRet: ENOSYS },
  ],
});
