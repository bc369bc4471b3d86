/** What the families of hostile bundles share: each bundle differs from the benign one in the one thing it is named for. For tests. */
import type { ImportReason } from '../../import-reasons.ts';
import { benignBundle } from '../fixture-repository.ts';
import { blob } from '../object-writer.ts';

export interface HostileBundle {
  name: string;
  reason: ImportReason;
  make(): Buffer;
}

export const twin = benignBundle();
export const twinObjects = [twin.changed, twin.added, twin.source, twin.root, twin.head];
export const payload = blob('payload\n');
