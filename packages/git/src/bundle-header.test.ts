import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBundle } from './bundle-header.ts';
import { BundleRefused } from './import-reasons.ts';
import { benignBundle, BRANCH_REF, FIXTURE } from './testing/fixture-repository.ts';
import { HEADER_FAMILY } from './testing/hostile/header-family.ts';
import { bundle, pack } from './testing/pack-writer.ts';
import { requireBranchRef, writeBundleHeader } from './write-bundle-header.ts';

const EXPECTED = { ref: BRANCH_REF, base: FIXTURE.start.oid };
const twin = benignBundle();
const objects = [twin.changed, twin.added];

describe('parsing a bundle', () => {
  it('reads the one form there is, with a comment on the prerequisite or without', () => {
    const written = bundle(writeBundleHeader(EXPECTED, twin.head.oid), pack(objects));
    const parsed = parseBundle(written, EXPECTED, 10);
    expect(parsed).toMatchObject({ head: twin.head.oid, objectCount: 2 });
    expect(written.toString('latin1', parsed.packOffset, parsed.packOffset + 4)).toBe('PACK');
    expect(parseBundle(twin.bytes, EXPECTED, 10)).toMatchObject({
      head: twin.head.oid,
      objectCount: 5,
    });
  });

  it('refuses one object more than allowed', () => {
    expect(() => parseBundle(twin.bytes, EXPECTED, 4)).toThrow(/5 objects/);
    expect(() => parseBundle(twin.bytes, EXPECTED, 5)).not.toThrow();
  });

  it('puts nothing of a hostile ref into a message but printable characters', () => {
    for (const { make } of HEADER_FAMILY) {
      const act = () => parseBundle(make(), EXPECTED, 10);
      expect(act).toThrow(BundleRefused);
      expect(act).toThrow(/^[\x20-\x7e]+$/);
    }
  });

  it('answers or refuses whatever the bytes, and answers only what was asked for', () => {
    fc.assert(
      fc.property(fc.nat(twin.bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(twin.bytes);
        bytes.writeUInt8(bytes.readUInt8(at) ^ flip, at);
        try {
          const { head } = parseBundle(bytes, EXPECTED, 10);
          // Only the head's name and the comment may differ: everything else is compared or summed.
          return at < 200 && /^[0-9a-f]{40}$/.test(head);
        } catch (error) {
          return error instanceof BundleRefused;
        }
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => parseBundle(bytes, EXPECTED, 10)).toThrow(BundleRefused);
      }),
    );
  });
});

describe('writing a header', () => {
  it.each([
    [{ ...EXPECTED, base: 'main' }, twin.head.oid],
    [EXPECTED, 'HEAD'],
    [EXPECTED, EXPECTED.base],
    [{ ...EXPECTED, ref: 'refs/heads/a\nrefs/heads/b' }, twin.head.oid],
    [{ ...EXPECTED, ref: 'refs/tags/v1' }, twin.head.oid],
  ])('refuses %j with head %s', (expected, head) => {
    expect(() => writeBundleHeader(expected, head)).toThrow(
      expect.objectContaining({ code: 'bad_input' }),
    );
    expect(() => writeBundleHeader(EXPECTED, twin.head.oid)).not.toThrow();
  });

  it('takes a branch in ASCII for a ref and nothing else', () => {
    expect(requireBranchRef(BRANCH_REF)).toBe(BRANCH_REF);
    for (const ref of [
      'refs/heads/é',
      'refs/heads/',
      'agent/x',
      `refs/heads/${'x'.repeat(2_000)}`,
    ]) {
      expect(() => requireBranchRef(ref)).toThrow(/ref/);
    }
  });
});
