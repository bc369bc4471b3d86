import { describe, expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import {
  DEFAULT_POLICY,
  hashPolicy,
  parsePolicyConfig,
  PolicyConfigSchema,
} from './policy-config.ts';

describe('the policy configuration', () => {
  test('fills in the defaults', () => {
    expect(DEFAULT_POLICY.limits).toEqual({
      files: 300,
      lines: 5_000,
      totalBytes: 4_194_304,
      fileBytes: 1_048_576,
      lineChars: 20_000,
      pathBytes: 512,
      componentBytes: 255,
      depth: 32,
      commits: 50,
    });
    expect(DEFAULT_POLICY.allowUnprotected).toBe(false);
  });

  test('keeps the other defaults when one bound is set', () => {
    expect(parsePolicyConfig({ limits: { files: 10 } }).limits).toEqual({
      ...DEFAULT_POLICY.limits,
      files: 10,
    });
  });

  test.each([
    ['an unknown key', { allowUnprotectd: true }],
    ['a bound of nothing', { limits: { files: 0 } }],
    ['a switch that is a word', { allowUnprotected: 'no' }],
    ['an extension without its dot', { allowBinary: [{ extension: 'png', maxBytes: 1 }] }],
  ])('refuses %s', (_what, input) => {
    expect(PolicyConfigSchema.safeParse(input).success).toBe(false);
  });

  test('names the key and the fault', () => {
    expect(() => parsePolicyConfig({ limits: { files: 0 } })).toThrow(/at limits\.files: .*>0/);
    expect(() => parsePolicyConfig({ alowBinary: [] })).toThrow(/at the top: .*alowBinary/);
  });
});

describe('the policy hash', () => {
  test('is the same for the same effective policy', () => {
    const spelt = parsePolicyConfig({
      allowUnprotected: false,
      limits: { commits: 50, files: 300 },
    });
    expect(hashPolicy(spelt)).toBe(hashPolicy(DEFAULT_POLICY));
    expect(hashPolicy(DEFAULT_POLICY)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('differs when one value differs', () => {
    expect(hashPolicy(parsePolicyConfig({ allowUnprotected: true }))).not.toBe(
      hashPolicy(DEFAULT_POLICY),
    );
  });

  test('does not see the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: true })).toBe(
      '{"a":true,"b":[1,{"c":"ü","d":null}]}',
    );
    expect(() => canonicalJson(Number.NaN)).toThrow(RangeError);
  });
});
