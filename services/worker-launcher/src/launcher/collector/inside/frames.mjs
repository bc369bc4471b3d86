/**
 * Frames on standard input and output: one letter (J: a JSON message, D: data, E: end of data), the length in four
 * bytes, the content. Nothing is written faster than the launcher reads.
 */

export const HEADER_BYTES = 5;

/** Reads frames from a stream; `next()` gives `{ kind, content }`, or undefined at the end of the stream. */
export function createFrameReader(stream) {
  const chunks = stream[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);

  async function take(size) {
    const pieces = [held];
    let length = held.length;
    while (length < size) {
      const { value, done } = await chunks.next();
      if (done) return undefined;
      pieces.push(value);
      length += value.length;
    }
    const all = pieces.length === 1 ? held : Buffer.concat(pieces);
    held = all.subarray(size);
    return all.subarray(0, size);
  }

  async function next() {
    const header = await take(HEADER_BYTES);
    if (header === undefined) return undefined;
    const content = await take(header.readUInt32BE(1));
    if (content === undefined) throw new Error('the input ended in the middle of a frame');
    return { kind: String.fromCharCode(header[0]), content };
  }

  return {
    next,
    /** The data frames up to the next end frame. */
    async *data() {
      for (;;) {
        const frame = await next();
        if (frame === undefined) throw new Error('the input ended before the end of the data');
        if (frame.kind === 'E') return;
        if (frame.kind !== 'D') throw new Error(`unexpected frame ${frame.kind}`);
        yield frame.content;
      }
    },
  };
}

/** Writes frames to a stream; each function settles when more may be written. */
export function createFrameWriter(stream) {
  function write(bytes) {
    if (stream.write(bytes)) return undefined;
    return new Promise((resolve, reject) => {
      stream.once('drain', resolve);
      stream.once('error', reject);
    });
  }
  async function frame(kind, content) {
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(kind, 0, 'latin1');
    header.writeUInt32BE(content.length, 1);
    await write(header);
    if (content.length > 0) await write(content);
  }
  return {
    message: (value) => frame('J', Buffer.from(JSON.stringify(value))),
    data: (content) => frame('D', content),
    end: () => frame('E', Buffer.alloc(0)),
  };
}
