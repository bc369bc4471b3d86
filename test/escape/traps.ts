/**
 * What a hostile step leaves behind for whoever looks at it afterwards. Each script runs inside a sandbox, in the directory
 * concerned; `$MARK` is where a program of the step leaves its mark if anybody runs it, as the host and a collector see it.
 */

export interface HandOffTrap {
  leaves: string;
  /** Runs in /out. */
  script: string;
  problem: 'not_a_plain_file' | 'too_large';
  /** What a reader gets that opens whatever is there. */
  naive: 'reads_the_secret' | 'waits' | 'reads_much' | 'reads_it' | 'fails';
}

/** `$SECRET` is a file of the host. */
export const HAND_OFF_TRAPS: readonly HandOffTrap[] = [
  {
    leaves: 'a link to a file of the host',
    script: 'ln -s "$SECRET" hand-off.json',
    problem: 'not_a_plain_file',
    naive: 'reads_the_secret',
  },
  {
    leaves: 'a pipe that nobody writes to',
    script: 'mkfifo hand-off.json',
    problem: 'not_a_plain_file',
    naive: 'waits',
  },
  {
    leaves: 'a file with a second name',
    script: 'echo "{}" > other; ln other hand-off.json',
    problem: 'not_a_plain_file',
    naive: 'reads_it',
  },
  {
    leaves: 'a directory',
    script: 'mkdir hand-off.json',
    problem: 'not_a_plain_file',
    naive: 'fails',
  },
  {
    leaves: 'a file of a gigabyte that takes no space',
    script: 'truncate -s 1G hand-off.json',
    problem: 'too_large',
    naive: 'reads_much',
  },
];

/** Leaves, in the tree at /work, everything by which git can be made to run a program. */
export const GIT_TRAP = `
set -e
cat > trap.sh <<END
#!/bin/sh
touch "$MARK" "$MARK_INSIDE" 2>/dev/null
cat
END
chmod +x trap.sh
spring() {
  cat >> "$1" <<END
[core]
  fsmonitor = "touch $MARK $MARK_INSIDE; false"
  hooksPath = /work/hooks
  pager = "touch $MARK $MARK_INSIDE"
  sshCommand = "touch $MARK $MARK_INSIDE"
  editor = "touch $MARK $MARK_INSIDE"
[filter "bait"]
  clean = "touch $MARK $MARK_INSIDE; cat"
  smudge = "touch $MARK $MARK_INSIDE; cat"
  process = "touch $MARK $MARK_INSIDE"
  required = true
[diff]
  external = "touch $MARK $MARK_INSIDE"
[diff "bait"]
  textconv = "touch $MARK $MARK_INSIDE; cat"
[merge "bait"]
  driver = "touch $MARK $MARK_INSIDE"
[gpg]
  program = "touch $MARK $MARK_INSIDE"
[extensions]
  partialClone = evil
[remote "evil"]
  promisor = true
  url = "ext::sh -c 'touch $MARK $MARK_INSIDE'"
  uploadpack = "touch $MARK $MARK_INSIDE"
[protocol "ext"]
  allow = always
END
}
mkdir hooks
for hook in post-index-change reference-transaction pre-commit post-checkout fsmonitor-watchman; do
  cp trap.sh "hooks/$hook"
done
spring .git/config
mkdir -p nested.git/objects nested.git/refs/heads
echo 'ref: refs/heads/main' > nested.git/HEAD
printf '[core]\\n  repositoryformatversion = 0\\n  bare = false\\n  worktree = ..\\n' > nested.git/config
spring nested.git/config
mkdir -p sub/.git/objects sub/.git/refs/heads
echo 'ref: refs/heads/main' > sub/.git/HEAD
printf '[core]\\n  repositoryformatversion = 0\\n' > sub/.git/config
spring sub/.git/config
echo x > sub/file
printf '* filter=bait diff=bait merge=bait\\n' > .gitattributes
printf '[submodule "sub"]\\n  path = sub\\n  url = ./sub\\n  update = !touch %s\\n' "$MARK" > .gitmodules
echo changed > a.txt
`;

/** Leaves, in the tree at /work, what leads out of it or is no file. */
export const TREE_TRAP = `
ln -s "$SECRET" link-to-secret
ln -s "$(dirname "$SECRET")" link-to-directory
rm -r dir && ln -s "$(dirname "$SECRET")" dir
mkfifo pipe
perl -e 'use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("socket"))'
mknod device b 8 0 2> device-refused
mknod deleted c 0 0 2>/dev/null
ln a.txt second-name
ln /in/given hard-link-out 2> hard-link-refused
true
`;
