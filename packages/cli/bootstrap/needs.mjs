/** Which programs of the machine a command needs. What is not listed needs none. */

export const PROGRAMS = {
  git: { debian: 'git' },
  redis: { command: 'redis-server', debian: 'redis-server' },
  bubblewrap: { command: 'bwrap', debian: 'bubblewrap' },
  chromium: { debian: 'chromium' },
};

const NEEDS = {
  demo: ['git', 'redis', 'bubblewrap'],
  up: ['git', 'redis', 'bubblewrap'],
  bench: ['git', 'redis', 'bubblewrap'],
  selftest: ['git', 'bubblewrap'],
  policy: ['git'],
  'dev test': ['git', 'redis', 'bubblewrap'],
};

/** The programs that the command line `argv` needs, as `{command, debian}`. Asking for help needs none. */
export function programsFor(argv, env) {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (own.includes('--help') || own.includes('-h')) return [];
  const words = own.filter((word) => !word.startsWith('-'));
  const needed = NEEDS[words.slice(0, 2).join(' ')] ?? NEEDS[words[0]] ?? [];
  const further = chooses(own, '--project', 'browser') ? ['chromium'] : [];
  return [...needed, ...further]
    .filter((name) => !(name === 'redis' && env.REDIS_URL_FILE))
    .filter((name) => !(name === 'bubblewrap' && chooses(own, '--driver', 'docker')))
    .map((name) => ({ command: name, ...PROGRAMS[name] }));
}

function chooses(argv, option, value) {
  return argv.some(
    (word, i) => word === `${option}=${value}` || (word === value && argv[i - 1] === option),
  );
}
