/**
 * The live timelines: one server-sent stream per open page. A nudge says that a task has news; the news itself is always
 * read from Postgres after the last number sent, so a lost nudge costs a moment and never an event.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Queryable } from '@sallyport/shared/db/pool';
import { readTimeline } from '@sallyport/shared/db/timeline';
import { findTaskView } from '@sallyport/shared/db/views/task-view';
import { AppError } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import { describeEventData } from './describe-event-data.ts';

export const MAX_STREAMS = 64;
const HEARTBEAT_MS = 15_000;

interface Stream {
  readonly taskId: string;
  readonly to: ServerResponse;
  readonly mayGoOn: () => boolean;
  readonly closed: AbortController;
  seq: number;
  state: string;
  /** Something happened since the reading began. */
  again: boolean;
  busy: boolean;
}

export interface StreamHub {
  /** Whether one more stream may be opened. */
  hasRoom(): boolean;
  /**
   * Sends the events of a task after `afterSeq` into a response whose head is written, and then each new one, until the
   * reader goes, `mayGoOn` says no, or the hub closes.
   */
  open(taskId: string, afterSeq: number, to: ServerResponse, mayGoOn: () => boolean): void;
  /** News of a subject; '' means that any may have some. */
  nudge(subject: string): void;
  /** Looks at every stream, for nudges that were lost. */
  sweep(): void;
  close(): void;
}

export function createStreamHub(options: {
  db: Queryable;
  log: Logger;
  maxStreams?: number;
  heartbeatMs?: number;
}): StreamHub {
  const { db, log } = options;
  const streams = new Set<Stream>();
  let told = false;

  function wake(stream: Stream): void {
    stream.again = true;
    if (stream.busy) return;
    stream.busy = true;
    void send(stream)
      .then(() => {
        told = false;
      })
      .catch((error: unknown) => {
        // The stream stays: the sweep tries again, and the reader keeps what it has. One line per outage is enough.
        if (!told && !stream.closed.signal.aborted)
          log.warn({ err: error }, 'reading a timeline failed');
        told ||= !stream.closed.signal.aborted;
      })
      .finally(() => {
        stream.busy = false;
      });
  }

  async function send(stream: Stream): Promise<void> {
    while (stream.again && !stream.closed.signal.aborted) {
      stream.again = false;
      for (const { seq, at, process, kind, data, hash } of await readTimeline(
        db,
        stream.taskId,
        stream.seq,
      )) {
        const text = describeEventData(data);
        await write(
          stream,
          `id: ${seq}\n${message('timeline', { seq, at, process, kind, text, data, hash })}`,
        );
        stream.seq = seq;
      }
      const task = await findTaskView(db, stream.taskId);
      const state = JSON.stringify({ state: task?.state, reason: task?.reason });
      if (state !== stream.state) {
        stream.state = state;
        await write(stream, `event: state\ndata: ${state}\n\n`);
      }
    }
  }

  function end(stream: Stream): void {
    streams.delete(stream);
    stream.closed.abort();
    stream.to.end();
  }

  const heartbeat = setInterval(() => {
    for (const stream of streams) {
      // A reader that has not taken what it was sent by now has gone without a word; it may come back and go on.
      if (stream.to.writableNeedDrain) stream.to.destroy();
      else stream.to.write(':\n\n');
    }
  }, options.heartbeatMs ?? HEARTBEAT_MS);

  return {
    hasRoom: () => streams.size < (options.maxStreams ?? MAX_STREAMS),
    open(taskId, afterSeq, to, mayGoOn) {
      const stream: Stream = {
        taskId,
        to,
        mayGoOn,
        closed: new AbortController(),
        seq: afterSeq,
        state: '',
        again: false,
        busy: false,
      };
      streams.add(stream);
      to.on('close', () => end(stream));
      to.on('error', () => end(stream));
      to.write('retry: 1000\n\n');
      wake(stream);
    },
    nudge(subject) {
      for (const stream of streams) if (subject === '' || subject === stream.taskId) wake(stream);
    },
    sweep() {
      for (const stream of streams) {
        if (stream.mayGoOn()) wake(stream);
        else end(stream);
      }
    },
    close() {
      clearInterval(heartbeat);
      for (const stream of streams) end(stream);
    },
  };
}

async function write(stream: Stream, text: string): Promise<void> {
  if (stream.closed.signal.aborted) throw new AppError('unavailable', 'the reader has gone');
  if (!stream.to.write(text)) await once(stream.to, 'drain', { signal: stream.closed.signal });
}

function message(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
