import { isDeepStrictEqual } from 'node:util';
import { aLinkRecord } from '../../../test/support/shared/stored-link';
import type { LinkChange } from './link';
import { CLOSING, changing, type LinkPipeline, quotaActivation, SLOT_TAKING } from './link-updates';

type Document = Record<string, unknown>;

const NOW = new Date('2030-01-01T00:00:00Z');
const EARLIER = new Date('2029-01-01T00:00:00Z');

/** The database operators that link updates use. */
const OPERATORS: Record<string, (args: never) => unknown> = {
  $add: (values: (number | Date)[]) => {
    const sum = values.reduce((total: number, value) => total + Number(value), 0);
    return values[0] instanceof Date ? new Date(sum) : sum;
  },
  $and: (values: unknown[]) => values.every(Boolean),
  $or: (values: unknown[]) => values.some(Boolean),
  $eq: ([a, b]: unknown[]) => isDeepStrictEqual(a, b),
  $ne: ([a, b]: unknown[]) => !isDeepStrictEqual(a, b),
  $gte: ([a, b]: number[]) => a! >= b!,
  $lt: ([a, b]: number[]) => a! < b!,
  $lte: ([a, b]: number[]) => a! <= b!,
  $max: (values: Date[]) => values.reduce((most, value) => (value > most ? value : most)),
  $cond: ([condition, yes, no]: unknown[]) => (condition === true ? yes : no),
};

/** Evaluates an expression for a document in the same way as the database. */
function valueOf(expression: unknown, document: Document): unknown {
  if (expression === '$$NOW') return NOW;
  if (typeof expression === 'string' && expression.startsWith('$')) {
    return document[expression.slice(1)];
  }
  if (Array.isArray(expression)) return expression.map((part) => valueOf(part, document));
  if (typeof expression !== 'object' || expression === null) return expression;
  const [[operator, operand] = ['', null]] = Object.entries(expression) as [string, unknown][];
  if (operator === '$literal') return operand;
  const operate = OPERATORS[operator];
  if (operate === undefined) throw new Error(`There is no operator ${operator}`);
  return operate(valueOf(operand, document) as never);
}

function updated(document: Document, pipeline: LinkPipeline): Document {
  return pipeline.reduce<Document>((before, stage) => {
    if (!('$set' in stage)) throw new Error('This stage sets nothing');
    const values = Object.entries(stage.$set);
    return {
      ...before,
      ...Object.fromEntries(values.map(([field, value]) => [field, valueOf(value, before)])),
    };
  }, document);
}

/** A stored link's states, with a limit of 5 or without a limit. */
const STATES = {
  open: { status: 'ACTIVE', closed_by_limit: false },
  'closed by its limit': { status: 'INACTIVE', closed_by_limit: true },
  'switched off': { status: 'INACTIVE', closed_by_limit: false },
} as const;
type State = keyof typeof STATES;

const aLink = (state: State, max_clicks: number | null, used: number): Document => ({
  ...aLinkRecord({ ...STATES[state], max_clicks, touched_at: EARLIER }),
  slots_taken: used - 1,
  open_clicks: 1,
});
const stateOf = ({ status, closed_by_limit }: Document): string =>
  Object.keys(STATES).find(
    (name) =>
      STATES[name as State].status === status &&
      STATES[name as State].closed_by_limit === closed_by_limit,
  ) ?? `${String(status)}, ${String(closed_by_limit)}`;

describe('a change to a link', () => {
  // State, limit and used clicks before; the change; state after (docs/contract.md#6.3 and 7).
  it.each<[State, number | null, number, LinkChange, State]>([
    ['open', 5, 3, {}, 'open'],
    ['open', 5, 3, { maxClicks: 4 }, 'open'],
    ['open', 5, 3, { maxClicks: 3 }, 'closed by its limit'],
    ['open', 5, 3, { maxClicks: 2 }, 'closed by its limit'],
    ['open', null, 3, { maxClicks: 3 }, 'closed by its limit'],
    ['open', null, 3, { maxClicks: 4 }, 'open'],
    ['open', 5, 3, { maxClicks: 3, status: 'ACTIVE' }, 'open'],
    ['open', 5, 3, { status: 'INACTIVE' }, 'switched off'],
    ['closed by its limit', 5, 5, { maxClicks: 6 }, 'open'],
    ['closed by its limit', 5, 5, { maxClicks: null }, 'open'],
    ['closed by its limit', 5, 5, { maxClicks: 5 }, 'closed by its limit'],
    ['closed by its limit', 5, 5, { maxClicks: 4 }, 'closed by its limit'],
    ['closed by its limit', 5, 5, { blockBots: true }, 'closed by its limit'],
    ['closed by its limit', 5, 5, { maxClicks: 6, status: 'INACTIVE' }, 'switched off'],
    ['closed by its limit', 5, 5, { status: 'ACTIVE' }, 'open'],
    ['switched off', 5, 3, { maxClicks: 6 }, 'switched off'],
    ['switched off', 5, 3, { maxClicks: 2 }, 'switched off'],
    ['switched off', 5, 3, { maxClicks: null }, 'switched off'],
    ['switched off', 5, 3, { status: 'ACTIVE' }, 'open'],
  ])('%s, limit %s, used %i: %j makes it %s', (before, limit, used, change, after) => {
    expect(stateOf(updated(aLink(before, limit, used), changing(change, NOW, false)))).toBe(after);
  });

  it.each<[string, LinkChange, boolean, Date | null]>([
    ['nothing', {}, false, null],
    ['a setting as it was', { blockBots: false }, false, null],
    ['the status as it was', { status: 'ACTIVE' }, false, null],
    ['the status as it was, touched', { status: 'ACTIVE' }, true, NOW],
    ['a setting', { blockBots: true }, false, NOW],
    ['the limit that closes it', { maxClicks: 3 }, false, NOW],
  ])('%s: updated_at changes', (_, change, touch, updatedAt) => {
    const { updated_at } = updated(aLink('open', 5, 3), changing(change, NOW, touch));
    expect(updated_at).toEqual(updatedAt);
  });

  it('keeps values that look like database operators', () => {
    const change = { passwordHash: '$2b$10$abc', longUrl: '$status' };
    const after = updated(aLink('open', null, 3), changing(change, NOW, false));
    expect(after).toMatchObject({ password_hash: '$2b$10$abc', long_url: '$status' });
  });

  it('has a later time than the previous change', () => {
    const stamped = (touched_at: Date): unknown =>
      updated({ ...aLink('open', 5, 3), touched_at }, changing({}, NOW, false)).touched_at;
    expect(stamped(EARLIER)).toEqual(NOW);
    expect(stamped(NOW)).toEqual(new Date(NOW.getTime() + 1));
  });
});

describe('click slots', () => {
  const first = () => updated(aLink('open', null, 3), changing({ maxClicks: 4 }, NOW, false));
  const mayTake = (link: Document): unknown =>
    valueOf((SLOT_TAKING.condition(new Date(0)) as { $expr: unknown }).$expr, link);

  it('are counted from a first limit only after earlier clicks are recorded', () => {
    expect(mayTake(first())).toBe(false);
    expect(mayTake(updated(first(), quotaActivation(false)))).toBe(true);
  });

  it.each<[number, boolean, State]>([
    [3, false, 'open'],
    [4, false, 'closed by its limit'],
    [4, true, 'open'],
  ])(
    'with %i clicks recorded meanwhile and the requested status %s: %s',
    (used, keepStatus, state) => {
      const recorded = { ...first(), slots_taken: 0, open_clicks: used };
      expect(stateOf(updated(recorded, quotaActivation(keepStatus)))).toBe(state);
    },
  );

  it('deactivate the link when the last slot is used', () => {
    const once = updated(aLink('open', 5, 3), SLOT_TAKING.update);
    expect([stateOf(once), mayTake(once)]).toEqual(['open', true]);
    const twice = updated(once, SLOT_TAKING.update);
    expect([stateOf(twice), mayTake(twice)]).toEqual(['closed by its limit', false]);
  });

  it.each([
    [4, false],
    [5, true],
    [6, true],
  ])('deactivate an active link if %i of 5 are used: %s', (used, isClosed) => {
    const { $expr } = CLOSING.condition as { $expr: unknown };
    expect(valueOf($expr, aLink('open', 5, used))).toBe(isClosed);
    expect(stateOf(updated(aLink('open', 5, used), CLOSING.update))).toBe('closed by its limit');
  });
});
