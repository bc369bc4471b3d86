/**
 * Writes the header of the one bundle form that the import accepts, so that whoever makes a bundle needs only a pack from
 * git and can add no second ref.
 */
import { AppError } from '@sallyport/shared/errors';
import { BUNDLE_SIGNATURE, MAX_HEADER_BYTES, type ExpectedBundle } from './bundle-header.ts';
import { requireOid } from './oid.ts';

const BRANCH_REF = /^refs\/heads\/[!-~]+$/;

/**
 * The bytes that stand before the pack.
 * @throws AppError `bad_input` if base or head is no object name, they are the same, or the ref is no branch in ASCII.
 */
export function writeBundleHeader(expected: ExpectedBundle, head: string): Buffer {
  requireBranchRef(expected.ref);
  requireOid(expected.base, 'the start commit');
  requireOid(head, 'the head');
  if (head === expected.base) throw new AppError('bad_input', 'the head is the start commit');
  return Buffer.from(`${BUNDLE_SIGNATURE}-${expected.base}\n${head} ${expected.ref}\n\n`, 'latin1');
}

/** Returns the ref if it is a full branch name in printable ASCII. @throws AppError `bad_input`. */
export function requireBranchRef(ref: string): string {
  if (!BRANCH_REF.test(ref) || ref.length > MAX_HEADER_BYTES / 4) {
    throw new AppError('bad_input', 'the ref must be refs/heads/ and a name in printable ASCII');
  }
  return ref;
}
