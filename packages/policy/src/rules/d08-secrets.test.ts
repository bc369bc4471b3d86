/** The values are put together here so that no file of this repository holds a secret's shape. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../finding.ts';
import { parsePolicyConfig } from '../policy-config.ts';
import type { RuleInput } from '../rule.ts';
import { makeChange, makeInput } from '../testing/make-change.ts';
import { secrets } from './d08-secrets.ts';
import { measureCpuMs, megabyteOf } from '../testing/measure-cpu.ts';

const alnum = (length: number): string =>
  'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z'.repeat(20).slice(0, length);
const classicToken = `ghs_${alnum(36)}`;
const signed = `${'eyJ'}${alnum(30)}.${'eyJ'}${alnum(60)}.${alnum(80)}`;
const statelessToken = `ghs_1234567_${signed}`;
const random = 'q7Zk2mXv9Lw4RbT8yHn3Jc6Pd1Gf5Sa0UeWiOoMxNzBv';

async function ask(
  text: string,
  path = 'src/a.ts',
  over: Partial<RuleInput> = {},
): Promise<Finding[]> {
  return secrets.check(makeInput([makeChange(path, 'first\n', `first\n${text}\n`)], over));
}

describe('secrets in added text', () => {
  test.each([
    ['a GitHub token of the old format', classicToken, 'ghs_short'],
    ['a GitHub token of the new format', statelessToken, `ghs_1234567.`],
    ['a personal token', `ghp_${alnum(36)}`, `gh_${alnum(36)}`],
    ['a fine-grained token', `github_pat_${alnum(22)}`, 'github_pat_x'],
    ['a private key', `-----BEGIN ${'RSA '}PRIVATE KEY-----`, '-----BEGIN PUBLIC KEY-----'],
    ['a signed token', signed, signed.slice(0, 34)],
    ['an access key of Amazon', `AKIA${'ABCDEFGHIJKLMNOP'}`, `AKIA${'ABCDEFGHIJKLMNO'}`],
    ['a key of Stripe', `sk_${'live'}_${alnum(24)}`, `sk_${'test'}_${alnum(24)}`],
    ['a key of Anthropic', `sk-ant-api03-${alnum(40)}`, 'sk-ant-'],
    ['a token of npm', `npm_${alnum(36)}`, `npm_${alnum(20)}`],
    [
      'a random value given to a secret name',
      `const apiKey = "${random}"`,
      `const label = "${random}"`,
    ],
    [
      'a random value in YAML',
      `client_secret: ${random}`,
      'client_secret: a-very-long-name-of-a-secret-in-the-vault',
    ],
    [
      'a password in a database address',
      `postgres://admin:${'hunter22x'}@db.internal/app`,
      'postgres://db.internal/app',
    ],
    [
      'a token split into two literals',
      `"${classicToken.slice(0, 20)}" + "${classicToken.slice(20)}"`,
      `"${classicToken.slice(0, 20)}"`,
    ],
    [
      'a token behind base64',
      Buffer.from(`x ${classicToken}`).toString('base64'),
      Buffer.from('x nothing of the kind to be seen').toString('base64'),
    ],
    [
      'a key wrapped in base64 lines',
      wrap(Buffer.from(`${'-'.repeat(120)}${classicToken}`).toString('base64')),
      wrap(Buffer.from('-'.repeat(160)).toString('base64')),
    ],
  ])('%s is refused, its twin passes', async (_what, bad, good) => {
    const found = await ask(bad);
    expect(found.map(({ severity, code }) => `${severity} ${code}`)).toContain('block secret');
    expect(found.every(({ line }) => line !== null && line >= 2)).toBe(true);
    expect(await ask(good)).toEqual([]);
  });

  test('the finding shows the kind and the known prefix, never the value', async () => {
    const [found] = await ask(classicToken);
    expect(found?.reason).toContain('github_token, beginning with ghs_…');
    expect(JSON.stringify(found)).not.toContain(classicToken.slice(4, 12));
  });

  test.each([
    '// secretlint-disable',
    '/* secretlint-disable */',
    '# secretlint-disable',
    '<!-- secretlint-disable -->',
    '// secretlint-disable-next-line',
  ])('the comment %s in the file hides nothing', async (comment) => {
    const slackToken = `xoxb-${'123456789012'}-${'123456789012'}-${alnum(24)}`;
    for (const secret of [
      classicToken,
      slackToken,
      `postgres://admin:${'hunter22x'}@db.internal/app`,
    ]) {
      expect(await ask(`${comment}\n${secret} ${comment}`)).not.toEqual([]);
    }
    expect(await ask(comment)).toEqual([]);
  });

  test('what secretlint alone knows is found, without its message', async () => {
    const [found] = await ask(`https://user:${'s3cretvalue'}@example.com/`);
    expect(found?.reason).toContain('basicauth');
    expect(found?.reason).not.toContain('s3cret');
  });

  test('a removed secret is no finding, the same one added is', async () => {
    const input = makeInput([makeChange('a.ts', `${classicToken}\nb\n`, 'b\n')]);
    expect(await secrets.check(input)).toEqual([]);
    const turned = makeInput([makeChange('a.ts', 'b\n', `${classicToken}\nb\n`)]);
    expect(await secrets.check(turned)).not.toEqual([]);
  });

  test('an allowed hash lets that value pass and no other', async () => {
    const hash = createHash('sha256').update(classicToken).digest('hex');
    const config = parsePolicyConfig({ allowSecretHashes: [hash] });
    const own = (found: Finding[]) => found.filter(({ reason }) => reason.includes('github_token'));
    expect(own(await ask(classicToken, 'a.ts', { config }))).toEqual([]);
    expect(own(await ask(`${classicToken}x`, 'a.ts', { config }))).not.toEqual([]);
  });

  test("the key of Amazon's manual passes", async () => {
    expect(await ask(`AKIA${'IOSFODNN7EXAMPLE'}`)).toEqual([]);
  });
});

describe('canaries', () => {
  const canary = 'cnry-7f3a9b2e5d8c1f60';
  const canaries = [canary];

  test.each([
    ['as it is', canary],
    ['in capitals', canary.toUpperCase()],
    ['in hex', Buffer.from(canary).toString('hex')],
    ['in capital hex', Buffer.from(canary).toString('hex').toUpperCase()],
    ['in base64', Buffer.from(canary).toString('base64')],
    ['in base64 behind one byte', Buffer.from(`x${canary}`).toString('base64')],
    ['in base64 behind two bytes', Buffer.from(`xy${canary}z`).toString('base64')],
    ['in base64 for addresses', Buffer.from(`??>${canary}`).toString('base64url')],
    [
      'inside a larger base64',
      `zz${Buffer.from(`{"token":"${canary}","more":"of it"}`).toString('base64')}`,
    ],
    ['reversed', Array.from(canary).toReversed().join('')],
    ['in two literals', `"${canary.slice(0, 9)}" + '${canary.slice(9)}'`],
    ['beside a letter that grows when lowered', `İ ${canary}`],
  ])('a canary %s is held, and nobody can let it go', async (_how, text) => {
    const found = await ask(`const a = ${text};`, 'a.ts', { canaries });
    expect(found.find(({ code }) => code === 'canary_seen')).toMatchObject({
      severity: 'hold',
      overridableBy: 'nobody',
    });
    expect(JSON.stringify(found)).not.toContain(canary);
  });

  test('a text without it passes', async () => {
    expect(await ask(`const a = ${canary.slice(0, -1)};`, 'a.ts', { canaries })).toEqual([]);
  });

  test('a canary in the name of a path is held, and the finding does not name the path', async () => {
    const found = await ask('x', `src/${canary}.ts`, { canaries });
    expect(found.map(({ code }) => code)).toEqual(['canary_seen']);
    expect(JSON.stringify(found)).not.toContain(canary);
    expect(await ask('x', 'src/a.ts', { canaries })).toEqual([]);
  });
});

describe('hostile megabytes', () => {
  test.each([
    ['headers of signed tokens', 'eyJ'],
    ['dotted headers of signed tokens', 'eyJaaaaaaaaaa.'],
    ['starts of tokens', 'ghs_'],
    ['words for secrets', 'key'],
    ['words for secrets and spaces', 'secret        =        '],
    ['starts of keys', '-----BEGIN '],
    ['base64 digits', 'aB3d'],
    ['short base64 runs', 'aB3dE5gH7jK9mN1pQ2rS4tU6v '],
    ['quotes', '"+"'],
    ['dots', '.'],
    ['tokens', `npm_${'a1'.repeat(18)} `],
    ['addresses', 'mongodb://a:b'],
    ['slack starts', 'xoxb-1-'],
  ])('a line of %s is read within two seconds of processor time', async (_what, unit) => {
    const canaries = ['cnry-7f3a9b2e5d8c1f60'];
    const spent = await measureCpuMs(() => ask(megabyteOf(unit), 'a.ts', { canaries }));
    expect(spent).toBeLessThan(2_000);
  });
});

function wrap(text: string): string {
  return text.replace(/.{76}/g, '$&\n');
}
