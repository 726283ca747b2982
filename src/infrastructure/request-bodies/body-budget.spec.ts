import { BodyBudget, type BodyRoom } from './body-budget';
import { BodiesBusyError } from './request-bodies.errors';

const SMALL = 16 * 1024;
const MEGABYTE = 1_048_576;

/** Whether the budget allows this many additional bytes. */
function grows(room: BodyRoom, bytes: number): boolean {
  try {
    room.grow(bytes);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(BodiesBusyError);
    return false;
  }
}

describe('the memory budget for request bodies', () => {
  let budget: BodyBudget;
  beforeEach(() => (budget = new BodyBudget()));
  const takes = (client: string, bytes: number): boolean => grows(budget.open(client), bytes);
  /** Returns how many bodies from a client the budget allows. */
  const count = (client: string, bytes: number): number => {
    for (let n = 0; ; n++) if (!takes(client, bytes)) return n;
  };

  it('accepts one body of the maximum size per client, or a hundred small ones', () => {
    expect(count('a', MEGABYTE)).toBe(1);
    expect(count('b', SMALL)).toBe(102);
  });

  it('keeps memory for other clients if one client sends many bodies', () => {
    count('a', MEGABYTE);
    count('a', SMALL);
    expect(takes('b', MEGABYTE)).toBe(true);
  });

  it('keeps memory for small bodies if there are many large ones', () => {
    const clients = Array.from({ length: 20 }, (_, n) => `large-${n}`);
    const taken = clients.filter((client) => takes(client, MEGABYTE));
    expect(taken).toHaveLength(6);
    expect(takes('small', SMALL)).toBe(true);
    expect(takes('small', SMALL + 1)).toBe(false);
  });

  it('is limited, even for small bodies', () => {
    const clients = Array.from({ length: 20 }, (_, n) => `small-${n}`);
    const taken = clients.map((client) => count(client, SMALL));
    expect(taken.reduce((sum, n) => sum + n)).toBe((8 * MEGABYTE) / SMALL);
  });

  it('counts a growing body once, and as a large one as soon as it is large', () => {
    const rooms = Array.from({ length: 7 }, (_, n) => budget.open(`client-${n}`));
    for (const room of rooms) expect(grows(room, SMALL)).toBe(true);
    const grown = rooms.filter((room) => grows(room, MEGABYTE));
    expect(grown).toHaveLength(6);
    expect(takes('another', SMALL)).toBe(true);
  });

  it('is released once when a body is complete, even after several calls', () => {
    const first = budget.open('a');
    first.grow(MEGABYTE);
    expect(takes('a', MEGABYTE)).toBe(false);
    first.release();
    first.release();
    expect(count('a', MEGABYTE)).toBe(1);
  });

  it("keeps a body's memory if the body is denied more", () => {
    const room = budget.open('a');
    room.grow(SMALL);
    expect(grows(room, 2 * MEGABYTE)).toBe(false);
    room.release();
    expect(count('a', SMALL)).toBe(102);
  });
});
