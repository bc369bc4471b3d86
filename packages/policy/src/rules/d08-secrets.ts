/**
 * No secret in what is added, whether it is the project's own or one that was planted in the sandbox. The finding names
 * the kind and the known prefix, never the value, since findings are stored, shown and posted.
 */
import type { Finding } from '../finding.ts';
import { extension } from '../path-fold.ts';
import type { FileChange, Rule, RuleInput } from '../rule.ts';
import { CANARY_KIND } from '../secrets/hit.ts';
import { scanSecrets } from '../secrets/scan.ts';
import { lintSecrets } from '../secrets/secretlint-scan.ts';

const MAX_FINDINGS_PER_FILE = 20;

interface Hit {
  kind: string;
  start: number;
  shown: string;
}

export const secrets: Rule = {
  id: 'd08_secrets',
  async check(input) {
    const findings: Finding[] = [];
    for (const file of input.files) {
      // oxlint-disable-next-line no-await-in-loop -- one file's views at a time bound the memory
      findings.push(...pathFindings(file, input), ...(await contentFindings(file, input)));
    }
    return findings;
  },
};

function pathFindings(file: FileChange, input: RuleInput): Finding[] {
  if (file.status === 'deleted') return [];
  return scan(file.path, input)
    .slice(0, 1)
    .map((hit) => finding(hit, null, null, 'the name of a path'));
}

async function contentFindings(file: FileChange, input: RuleInput): Promise<Finding[]> {
  const { added } = file.diff;
  if (added.length === 0) return [];
  const text = added.map((line) => line.text).join('\n');
  const own: Hit[] = scan(text, input);
  const second = await lintSecrets(text, extension(file.path) === '.json');
  const others = second.filter((hit) => own.every((known) => known.start !== hit.start));
  const hits = [...own, ...others.map((hit) => ({ ...hit, shown: '' }))];
  return hits.slice(0, MAX_FINDINGS_PER_FILE).map((hit) => {
    const line = added[lineIndex(text, hit.start)]?.line ?? null;
    return finding(hit, safePath(file.path, input), line, 'the added text');
  });
}

function scan(text: string, { canaries, config }: RuleInput): Hit[] {
  return scanSecrets(text, { canaries, allowHashes: config.allowSecretHashes });
}

function safePath(path: string, input: RuleInput): string | null {
  return scan(path, input).length === 0 ? path : null;
}

function lineIndex(text: string, at: number): number {
  let index = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1))
    index++;
  return index;
}

function finding(hit: Hit, path: string | null, line: number | null, where: string): Finding {
  const isCanary = hit.kind === CANARY_KIND;
  const shown = hit.shown === '' ? '' : `, beginning with ${hit.shown}…`;
  return {
    rule: 'd08_secrets',
    code: isCanary ? 'canary_seen' : 'secret',
    // The work may be right all the same; whether, somebody must see who can look into the sandbox's story.
    severity: isCanary ? 'hold' : 'block',
    path,
    line,
    reason: isCanary
      ? `A credential that was planted in the sandbox is in ${where}.`
      : `Something like a secret (${hit.kind}${shown}) is in ${where}.`,
    satisfiedBy: isCanary
      ? 'A change made without copying what lies about in the sandbox.'
      : 'A reference to a secret store in place of the value, or its hash in allowSecretHashes when it is none.',
    overridableBy: 'nobody',
  };
}
