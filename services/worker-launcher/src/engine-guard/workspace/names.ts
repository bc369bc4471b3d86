/**
 * What directories and files can be spoken of: the layout of the launcher's workspace as a closed list of shapes. A name is
 * never a path to be resolved; each part is checked here, and walked to without following a link where it is used.
 */
import { AppError } from '@sallyport/shared/errors';

const ID = '[a-z0-9][a-z0-9-]{0,79}';
const FILE = '(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]{1,100}';
const MIRROR = `mirrors/${ID}`;
const RUN = `runs/${ID}`;
const STEP = `${RUN}/steps/${ID}`;
const TREE = `${RUN}/trees/${ID}`;
const ENVIRONMENT = `environments/${ID}/${ID}`;
const RECORD = `${ENVIRONMENT}/(?:environment\\.json|used)`;
const USE = `${ENVIRONMENT}/uses/${FILE}`;

const SHAPES = {
  /** Directories that are laid before a sandbox. */
  lent: [
    MIRROR,
    RUN,
    `${RUN}/history\\.git`,
    `${TREE}/(?:git|layer|files)`,
    `${TREE}/git/\\.git`,
    `${STEP}/(?:tree|in|out)`,
    `${STEP}/tree/\\.git`,
    `${STEP}/in/${FILE}`,
    ENVIRONMENT,
    `${ENVIRONMENT}/layer`,
  ],
  /** Directories that lie below one another in an overlay. */
  layer: [`${TREE}/(?:git|layer|files)`, `${STEP}/view/upper`, `${ENVIRONMENT}/layer`],
  /** Where an overlay keeps what was changed. */
  view: [`${STEP}/(?:view|look)`],
  made: [MIRROR, RUN, `${STEP}/(?:in|out)`, ENVIRONMENT],
  removed: [MIRROR, RUN, STEP, `${STEP}/(?:tree|view|look|in|out)`, ENVIRONMENT, RECORD, USE],
  listed: [
    'mirrors',
    'runs',
    'environments',
    `environments/${ID}`,
    ENVIRONMENT,
    `${ENVIRONMENT}/uses`,
  ],
  measured: [STEP, `${STEP}/(?:tree|view|look|in|out)`, ENVIRONMENT, RUN, MIRROR],
  written: [`${STEP}/in/${FILE}(?:/${FILE}){0,3}`, RECORD, USE],
  read: [`${STEP}/out/${FILE}`, RECORD],
} as const satisfies Record<string, readonly string[]>;

export type NameUse = keyof typeof SHAPES;

const PATTERNS = new Map(
  Object.entries(SHAPES).map(([use, shapes]) => [use, new RegExp(`^(?:${shapes.join('|')})$`)]),
);

/** Whether this is the name of something that is used so. */
export function isNameOf(use: NameUse, name: string): boolean {
  return PATTERNS.get(use)?.test(name) === true;
}

/**
 * The name itself.
 * @throws AppError `forbidden` when nothing of that name is used so.
 */
export function requireName(use: NameUse, name: string): string {
  if (isNameOf(use, name)) return name;
  throw new AppError(
    'forbidden',
    `${JSON.stringify(name.slice(0, 200))} is no name of the workspace that can be ${DEEDS[use]}`,
  );
}

const DEEDS: Readonly<Record<NameUse, string>> = {
  lent: 'mounted',
  layer: 'a layer of an overlay',
  view: 'the view of an overlay',
  made: 'made',
  removed: 'removed',
  listed: 'listed',
  measured: 'measured',
  written: 'written',
  read: 'read',
};

/** Whether `name` lies in the directory `above`, at any depth, and is not it. */
export function isBelow(name: string, above: string): boolean {
  return name.startsWith(`${above}/`);
}

/** What is locked as a whole: one mirror, one run, the environments of one repository. */
export function scopeOf(name: string): string {
  return name.split('/', 2).join('/');
}
