/**
 * A second opinion from secretlint, rule by rule. Its preset brings a filter that obeys comments of the scanned file, by
 * which a hostile file switches the scan off, so each rule is named here and that filter is not among them.
 */
import { lintSource } from '@secretlint/core';
import { creator as anthropic } from '@secretlint/secretlint-rule-anthropic';
import { creator as aws } from '@secretlint/secretlint-rule-aws';
import { creator as basicauth } from '@secretlint/secretlint-rule-basicauth';
import { creator as databaseConnectionString } from '@secretlint/secretlint-rule-database-connection-string';
import { creator as gcp } from '@secretlint/secretlint-rule-gcp';
import { creator as github } from '@secretlint/secretlint-rule-github';
import { creator as npm } from '@secretlint/secretlint-rule-npm';
import { creator as openai } from '@secretlint/secretlint-rule-openai';
import { creator as privatekey } from '@secretlint/secretlint-rule-privatekey';
import { creator as slack } from '@secretlint/secretlint-rule-slack';

const CREATORS = [
  anthropic,
  aws,
  basicauth,
  databaseConnectionString,
  gcp,
  github,
  npm,
  openai,
  privatekey,
  slack,
];
const RULES = CREATORS.map((rule) => ({ id: rule.meta.id, rule }));

/** Its removal of duplicates compares every message with every other, so it is given pieces of bounded size. */
const PIECE_CHARS = 16 * 1024;
const OVERLAP_CHARS = 2 * 1024;
const MAX_HITS = 20;

export interface LintHit {
  /** Name of the secretlint rule that found it, without its package. */
  kind: string;
  start: number;
  end: number;
}

/** What the rules find in the text, at most twenty. `isJson` lets the rule for service accounts read the document. */
export async function lintSecrets(text: string, isJson: boolean): Promise<LintHit[]> {
  const hits: LintHit[] = [];
  const step = PIECE_CHARS - OVERLAP_CHARS;
  for (let from = 0; from < text.length && hits.length < MAX_HITS; from += step) {
    // oxlint-disable-next-line no-await-in-loop -- it stops at the first pieces that hold enough
    hits.push(...(await lintPiece(text.slice(from, from + PIECE_CHARS), from, isJson)));
    if (from + PIECE_CHARS >= text.length) break;
  }
  return hits.slice(0, MAX_HITS);
}

async function lintPiece(content: string, offset: number, isJson: boolean): Promise<LintHit[]> {
  // A made-up name: a rule that opens the file it is told about must find none.
  const ext = isJson ? '.json' : '.txt';
  const source = { filePath: `added${ext}`, content, contentType: 'text', ext } as const;
  const options = { config: { rules: RULES }, noPhysicFilePath: true };
  const { messages } = await lintSource({ source, options });
  return messages.map(({ ruleId, range }) => ({
    kind: ruleId.slice(ruleId.lastIndexOf('secretlint-rule-') + 'secretlint-rule-'.length),
    start: offset + range[0],
    end: offset + range[1],
  }));
}
