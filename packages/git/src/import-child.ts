/**
 * The process that reads one bundle (or builds one base store) and then ends. It holds no key, opens no connection, and
 * knows only what came in on standard input; its answer leaves on standard output. Meant to run inside a sandbox.
 */
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import { buildBaseStore, openBaseStore } from './base-store.ts';
import type { BundleRequest, ChildAnswer, ChildRequest } from './child-protocol.ts';
import { readFrame, writeFrameLine } from './frame.ts';
import { importBundle } from './import-bundle.ts';
import { BundleRefused } from './import-reasons.ts';

async function answer(): Promise<Uint8Array[]> {
  const { head, payload } = await readFrame(process.stdin);
  // The request comes from the process that started this one, not from a bundle.
  const request = head as ChildRequest;
  switch (request.kind) {
    case 'base': {
      await buildBaseStore({
        ...request,
        pack: exactly(payload, request.packBytes),
        maxPackBytes: request.packBytes,
      });
      return [line({ kind: 'built' })];
    }
    case 'bundle':
      return answerBundle(request, payload);
    default:
      throw new AppError('bad_input', 'a request of an unknown kind');
  }
}

async function answerBundle(
  request: BundleRequest,
  payload: AsyncIterable<Uint8Array>,
): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of exactly(payload, request.bundleBytes)) chunks.push(chunk);
  const imported = await importBundle({
    bundle: Buffer.concat(chunks),
    expected: request.expected,
    limits: request.limits,
    base: await openBaseStore(request.baseDir),
    workDir: request.workDir,
  });
  const contents = [...imported.contents];
  return [
    line({
      kind: 'imported',
      facts: imported.facts,
      contents: contents.map(([oid, bytes]) => ({ oid, bytes: bytes.length })),
      packBytes: imported.cleanPack.length,
    }),
    ...contents.map(([, bytes]) => bytes),
    imported.cleanPack,
  ];
}

async function* exactly(
  payload: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const chunk of payload) {
    seen += chunk.length;
    if (seen > length) break;
    yield chunk;
  }
  if (seen !== length)
    throw new AppError('bad_input', 'the request has another length than announced');
}

function line(head: ChildAnswer): Buffer {
  return writeFrameLine(head);
}

function negative(error: unknown): ChildAnswer {
  if (error instanceof BundleRefused) {
    return { kind: 'refused', reason: error.reason, message: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', code: errorCodeOf(error), message };
}

let parts: Uint8Array[];
try {
  parts = await answer();
} catch (error) {
  parts = [line(negative(error))];
}
for (const part of parts) process.stdout.write(part);
// Standard input may still be open when the request was refused before its end.
process.stdout.end(() => process.exit(0));
