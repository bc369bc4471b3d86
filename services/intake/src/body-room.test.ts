/** Memory: what may be in hand at once, and that large bodies never take the room of small ones. */
import { describe, expect, it } from 'vitest';
import { createBodyRooms } from './body-room.ts';
import { createByteBudget } from './byte-budget.ts';
import { BODY_LIMIT_BYTES, SMALL_BODIES_BYTES, SMALL_BODY_BYTES } from './limits.ts';

describe('the byte budget', () => {
  it('gives bytes back once, however often it is told to', () => {
    const budget = createByteBudget(10);
    const giveBack = budget.take(6);
    expect(budget.take(5)).toBeNull();
    giveBack?.();
    giveBack?.();
    expect(budget.taken()).toBe(0);
    expect(budget.take(10)).not.toBeNull();
  });
});

describe('rooms for bodies', () => {
  const largest = String(BODY_LIMIT_BYTES.json);

  it('lets in the largest body and refuses one byte more', () => {
    const rooms = createBodyRooms();
    rooms.enter('json', largest).release();
    expect(() => rooms.enter('json', String(BODY_LIMIT_BYTES.json + 1))).toThrow(/longer than/);
    rooms.enter('form', String(BODY_LIMIT_BYTES.form)).release();
    expect(() => rooms.enter('form', String(BODY_LIMIT_BYTES.form + 1))).toThrow(/longer than/);
  });

  it('holds three of the largest bodies, refuses the fourth, and takes it when one has left', () => {
    const rooms = createBodyRooms();
    const first = rooms.enter('json', largest);
    rooms.enter('json', undefined);
    rooms.enter('json', largest);
    expect(() => rooms.enter('json', undefined)).toThrow(expect.objectContaining({ code: 'busy' }));
    first.release();
    expect(rooms.enter('json', undefined).bytes).toBe(BODY_LIMIT_BYTES.json);
  });

  it('keeps room for small bodies while the large ones have taken all of theirs', () => {
    const rooms = createBodyRooms();
    rooms.enter('form', String(BODY_LIMIT_BYTES.form));
    expect(rooms.enter('json', String(SMALL_BODY_BYTES)).bytes).toBe(SMALL_BODY_BYTES);
    expect(() => rooms.enter('json', String(SMALL_BODY_BYTES + 1))).toThrow(/stored/);
  });

  it('bounds the small ones too', () => {
    const rooms = createBodyRooms();
    const fit = SMALL_BODIES_BYTES / SMALL_BODY_BYTES;
    for (let i = 0; i < fit; i += 1) rooms.enter('json', String(SMALL_BODY_BYTES));
    expect(() => rooms.enter('json', '1')).toThrow(expect.objectContaining({ code: 'busy' }));
  });
});
