/** Headers that offer something other than the one branch on the one start commit. For tests. */
import type { ImportReason } from '../../import-reasons.ts';
import { BRANCH_REF, FIXTURE, headerFor } from '../fixture-repository.ts';
import { bundle, pack } from '../pack-writer.ts';
import { twin, twinObjects, type HostileBundle } from './hostile-bundle.ts';

const HEADER = headerFor(twin.head.oid);
const [signature = '', prerequisite = '', refLine = ''] = HEADER.split('\n');
function withHeader(name: string, reason: ImportReason, header: string | Buffer): HostileBundle {
  return { name, reason, make: () => bundle(header, pack(twinObjects)) };
}

function withRef(name: string, ref: string): HostileBundle {
  const header = Buffer.from(headerFor(twin.head.oid, { ref }), 'latin1');
  return withHeader(`ref name ${name}`, 'bundle_ref', header);
}

export const HEADER_FAMILY: readonly HostileBundle[] = [
  withHeader(
    'an extra ref',
    'bundle_header',
    `${signature}\n${prerequisite}\n${refLine}\n${twin.head.oid} refs/tags/v1.0.0\n\n`,
  ),
  withHeader(
    'a replace ref',
    'bundle_header',
    `${signature}\n${prerequisite}\n${refLine}\n${twin.added.oid} refs/replace/${FIXTURE.readme.oid}\n\n`,
  ),
  withHeader(
    'an extra prerequisite',
    'bundle_header',
    `${signature}\n${prerequisite}\n-${FIXTURE.boundary.oid}\n${refLine}\n\n`,
  ),
  withHeader('no prerequisite', 'bundle_header', `${signature}\n${refLine}\n\n`),
  withHeader('no ref', 'bundle_header', `${signature}\n${prerequisite}\n\n`),
  withHeader('no lines at all', 'bundle_header', `${signature}\n\n`),
  withHeader(
    'a version 3 filter',
    'bundle_header',
    `# v3 git bundle\n@filter=blob:none\n${prerequisite}\n${refLine}\n\n`,
  ),
  withHeader(
    'a capability in version 2',
    'bundle_header',
    `${signature}\n@object-format=sha1\n${prerequisite}\n${refLine}\n\n`,
  ),
  withHeader(
    'a header that does not end',
    'bundle_header',
    `${signature}\n${prerequisite} ${'x'.repeat(5_000)}\n${refLine}\n\n`,
  ),
  withHeader(
    'another prerequisite',
    'bundle_prerequisite',
    headerFor(twin.head.oid, { base: FIXTURE.boundary.oid }),
  ),
  withHeader(
    'upper-case object names',
    'bundle_header',
    HEADER.toUpperCase().replace(signature.toUpperCase(), signature),
  ),
  withHeader('the start commit as its head', 'bundle_head_is_base', headerFor(FIXTURE.start.oid)),
  withHeader('the zero name as its head', 'bundle_header', headerFor('0'.repeat(40))),
  withRef('of an option', '--upload-pack=touch /tmp/x'),
  withRef('of a path', 'refs/heads/../../hooks/post-checkout'),
  withRef('of the default branch', 'refs/heads/main'),
  withRef('with a suffix', `${BRANCH_REF}.lock`),
  withRef('with an escape', `${BRANCH_REF}\x1b[2J`),
  withRef('not in UTF-8', `${BRANCH_REF}\xff\xfe`),
  withRef('with a second word', `${BRANCH_REF} refs/heads/main`),
];
