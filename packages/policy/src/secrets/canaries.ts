/** Planted fake credentials as hits of the scan for secrets: one proves that something copied the sandbox's secrets out. */
import { createCanaryFinder } from '@sallyport/shared/canary/find-canaries';
import { CANARY_KIND } from './hit.ts';
import type { SecretHit } from './hit.ts';

/** A search for the canaries in all their forms. */
export function createCanaryScan(canaries: readonly string[]): (text: string) => SecretHit[] {
  const find = createCanaryFinder(canaries);
  return (text) => find(text).map((hit) => ({ kind: CANARY_KIND, ...hit, shown: '' }));
}
