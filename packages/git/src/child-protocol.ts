/** What the parent asks of an import child and what the child answers, each the JSON line of one frame. */
import { ERROR_CODES, type ErrorCode } from '@sallyport/shared/errors';
import type { ExpectedBundle } from './bundle-header.ts';
import type { ImportFacts } from './import-facts.ts';
import type { ImportLimits } from './import-limits.ts';
import { IMPORT_REASONS, type ImportReason } from './import-reasons.ts';

/** Build a base store in `gitDir`; the source pack follows. */
export interface BaseRequest {
  kind: 'base';
  gitDir: string;
  commit: string;
  shallow: string[];
  packBytes: number;
  timeoutMs: number;
}

/** Import the bundle that follows, on the base store in `baseDir`, working below `workDir`. */
export interface BundleRequest {
  kind: 'bundle';
  baseDir: string;
  workDir: string;
  expected: ExpectedBundle;
  limits: ImportLimits;
  bundleBytes: number;
}
export type ChildRequest = BaseRequest | BundleRequest;

/** `imported` is followed by the contents in their order, then by the clean pack. */
export type ChildAnswer =
  | { kind: 'built' }
  | {
      kind: 'imported';
      facts: ImportFacts;
      contents: { oid: string; bytes: number }[];
      packBytes: number;
    }
  | { kind: 'refused'; reason: ImportReason; message: string }
  | { kind: 'failed'; code: ErrorCode; message: string };

const MAX_MESSAGE_LENGTH = 4_000;

/** The refusal or failure in an answer, or undefined when it is neither (or not in this form). */
export function parseNegative(
  head: unknown,
): Extract<ChildAnswer, { message: string }> | undefined {
  if (!isRecord(head) || typeof head['message'] !== 'string') return undefined;
  const message = head['message'].slice(0, MAX_MESSAGE_LENGTH);
  if (head['kind'] === 'refused') {
    const reason = IMPORT_REASONS.find((r) => r === head['reason']);
    return reason === undefined ? undefined : { kind: 'refused', reason, message };
  }
  const code = ERROR_CODES.find((c) => c === head['code']);
  return head['kind'] === 'failed' && code !== undefined
    ? { kind: 'failed', code, message }
    : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
