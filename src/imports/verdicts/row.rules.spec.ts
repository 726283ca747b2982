import { linkWith } from '../../../test/support/shared/domain-values';
import { type SourceLink, withoutHistory } from '../reading/source-link';
import { DEFAULT_OPTIONS, type Import, type ImportOptions } from '../store/import';
import {
  decideLimits,
  decideUpdate,
  derivedId,
  isRecounted,
  type Limits,
  newLink,
  notWritten,
  pickHistory,
  tagsOfLink,
  toUnreadableRow,
  toVerdictRow,
} from './row.rules';

const LINK: SourceLink = {
  row: 2,
  part: 0,
  alias: 'spring',
  domain: null,
  linkId: null,
  longUrl: 'https://a.test/',
  createdAt: null,
  expireAfter: null,
  maxClicks: null,
  clicks: 0,
  pastClicks: 0,
  title: null,
  note: null,
  tagNames: [],
  isArchived: false,
  isProtected: false,
  passwordHash: null,
  notes: [],
  message: null,
};
const OPEN: Limits = { maxClicks: null, isUsedUp: false, isClosed: false, message: null };
const JULY = new Date('2030-07-01T00:00:00Z');

function importWith(options: Partial<ImportOptions> = {}): Import {
  const all = { ...DEFAULT_OPTIONS, ...options };
  return { id: 'i', ownerId: 'o', source: 'csv', options: all } as Import;
}

const counted = (...clicks: number[]) => ({
  ...({ granularity: 'day', timezone: 'UTC', from: null, to: null, by: {} } as const),
  units: { starts: clicks, clicks },
});

describe('The click limit of an imported link', () => {
  const limited = (maxClicks: number | null, clicks: number, singles = 0, more = {}) =>
    decideLimits({ ...LINK, maxClicks, clicks, singles, ...more }, true);

  it.each<[string, ReturnType<typeof limited>, number | null, string]>([
    ['without a limit', limited(null, 5), null, 'open'],
    ['without clicks', limited(5, 0), 5, 'open'],
    ['with single clicks below it', limited(5, 3, 3), 5, 'open'],
    ['with single clicks at it', limited(3, 3, 3), 3, 'closed'],
    ['with single clicks beyond it', limited(3, 4, 4), 3, 'closed'],
    ['with other clicks below it', limited(5, 3), 2, 'open'],
    ['with other clicks at it', limited(3, 3), 3, 'used up'],
    ['with other clicks beyond it', limited(4, 9, 2), 4, 'used up'],
    ['with both below it', limited(9, 6, 4), 7, 'open'],
    ['with both at it', limited(9, 9, 4), 4, 'closed'],
    ['with more single clicks than its total', limited(5, 2, 9), 5, 'open'],
    ['whose bots do not count', limited(3, 3, 3, { settings: { countBots: false } }), 3, 'open'],
  ])('%s', (_, limits, maxClicks, state) => {
    expect(limits.maxClicks).toBe(maxClicks);
    expect([limits.isUsedUp, limits.isClosed]).toEqual([state !== 'open', state === 'closed']);
  });

  it.each([
    [true, 3, null],
    [false, 1, 'The source has used 2 of 3 clicks: the limit here is 1'],
  ])('is reduced by single clicks only if those are not imported: %s', (isOwn, max, message) => {
    const limits = decideLimits({ ...LINK, maxClicks: 3, clicks: 2, singles: 2 }, isOwn);
    expect([limits.maxClicks, limits.message]).toEqual([max, message]);
  });
});

describe('An update by an import', () => {
  const BEFORE = linkWith({ longUrl: LINK.longUrl });
  const update = (source: Partial<SourceLink>, before = BEFORE, limits = OPEN, names = ['Red']) =>
    decideUpdate(before, { ...LINK, ...source }, limits, {
      present: ['red'],
      wanted: names,
    });

  it.each<[string, Partial<SourceLink>, object]>([
    ['the destination', { longUrl: 'https://b.test/' }, { longUrl: 'https://b.test/' }],
    ['the title', { title: 'New' }, { title: 'New' }],
    ['the note', { note: 'New' }, { note: 'New' }],
    ['the expiry', { expireAfter: JULY }, { expireAfter: JULY }],
    ['the status of an archived link', { isArchived: true }, { status: 'INACTIVE' }],
    [
      'the status of a link with an unknown password',
      { isProtected: true },
      { status: 'INACTIVE' },
    ],
  ])('changes only %s', (_, source, change) => {
    expect(update(source)).toEqual({ before: BEFORE, change, tagNames: null });
  });

  it.each<[string, Partial<SourceLink>, Partial<typeof BEFORE>]>([
    ['an equal link', {}, {}],
    ['an equal expiry', { expireAfter: new Date(JULY) }, { expireAfter: JULY }],
    ['a title without a column', { untold: ['title'] }, { title: 'Mine' }],
    ['a note without a column', { untold: ['note'] }, { note: 'Mine' }],
    ['an expiry without a column', { untold: ['expire_after'] }, { expireAfter: JULY }],
    ['a limit without a column', { untold: ['max_clicks'] }, { maxClicks: 7 }],
    ['a status without a column', { untold: ['archived'] }, { status: 'INACTIVE' }],
    ['a link with a password set here', { isProtected: true }, { passwordHash: 'hash' }],
    ['a link closed by its limit', {}, { status: 'INACTIVE', closedByLimit: true }],
  ])('does not change %s', (_, source, traits) => {
    expect(update(source, { ...BEFORE, ...traits })).toBeNull();
  });

  it('activates a link that the source no longer archives', () => {
    const change = update({}, { ...BEFORE, status: 'INACTIVE' })?.change;
    expect(change).toEqual({ status: 'ACTIVE' });
  });

  it('sets the limit, and deactivates a link whose clicks are used up', () => {
    const limits = { ...OPEN, maxClicks: 4, isUsedUp: true };
    expect(update({}, BEFORE, limits)?.change).toEqual({ maxClicks: 4, status: 'INACTIVE' });
  });

  it.each<[string, string[], Partial<SourceLink>, string[] | null | undefined]>([
    ['in another spelling', ['RED'], {}, undefined],
    ['that differ', ['Red', 'blue'], {}, ['Red', 'blue']],
    ['that are gone', [], {}, []],
    ['without a column', ['blue'], { untold: ['tags'] }, undefined],
  ])('compares tags %s', (_, names, source, tagNames) => {
    expect(update(source, BEFORE, OPEN, names)?.tagNames).toEqual(tagNames);
  });
});

describe('A link created by an import', () => {
  const candidate = (source: Partial<SourceLink> = {}) => ({
    ...{ alias: 'spring', key: 'k', claim: 'c', linkId: 'l' },
    link: { ...LINK, ...source },
  });
  const created = (source: Partial<SourceLink>, limits: Partial<typeof OPEN> = {}) =>
    newLink(importWith(), candidate(source), 'spring', { ...OPEN, ...limits });

  it.each<[string, Partial<SourceLink>, Partial<typeof OPEN>, object]>([
    ['open', {}, {}, { status: 'ACTIVE', closedByLimit: false }],
    ['archived', { isArchived: true }, {}, { status: 'INACTIVE', closedByLimit: false }],
    ['protected', { isProtected: true }, {}, { status: 'INACTIVE', closedByLimit: false }],
    ['used up', {}, { isUsedUp: true }, { status: 'INACTIVE', closedByLimit: false }],
    [
      'closed by its own clicks',
      {},
      { isUsedUp: true, isClosed: true },
      { status: 'INACTIVE', closedByLimit: true },
    ],
    [
      'archived and closed by its own clicks',
      { isArchived: true },
      { isUsedUp: true, isClosed: true },
      { status: 'INACTIVE', closedByLimit: false },
    ],
  ])('is %s', (_, source, limits, state) => {
    expect(created(source, limits).imported).toMatchObject(state);
  });

  it('has private statistics unless the source has public ones', () => {
    expect(created({}).privateStats).toBe(true);
    expect(created({ privateStats: false }).privateStats).toBe(false);
  });

  it("belongs to the import's owner and contains the name of its source", () => {
    expect(created({})).toMatchObject({
      ...{ id: 'l', ownerId: 'o', alias: 'spring', generation: 'v2' },
      imported: { source: { kind: 'csv', key: 'k', import: 'i' } },
    });
  });

  it('has the same id if the step is repeated, and different ids for different keys', () => {
    const ids = ['k', 'k', 'other'].map((key) => derivedId(importWith(), key, 1));
    expect(ids[0]).toMatch(/^[\da-f]{24}$/);
    expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
    const exported = { ...importWith(), source: 'curtail' as const };
    const sorted = [9, 10, 70_000].map((row) => derivedId(exported, `${row}`, row));
    expect(sorted.toSorted()).toEqual(sorted);
  });

  it('has the tags of its row, then those of the import, up to 20', () => {
    const many = Array.from({ length: 19 }, (_, i) => `t${i}`);
    const names = tagsOfLink(importWith({ tags: ['T0', 'old', 'late'] }), {
      ...LINK,
      tagNames: many,
    });
    expect(names).toEqual([...many, 'old']);
  });
});

describe('The history of an imported link', () => {
  it.each<[string, Partial<SourceLink>, number]>([
    ['the reported number', { pastClicks: 7 }, 7],
    ['the reported number if it exceeds the units', { pastClicks: 7, counts: counted(2, 3) }, 7],
    ['the sum of units if it exceeds the number', { pastClicks: 4, counts: counted(2, 3) }, 5],
  ])('is %s', (_, source, clicks) => {
    expect(pickHistory({ ...LINK, ...source })).toMatchObject({ clicks });
  });

  it.each<[string, ImportOptions['history'], number | undefined, boolean, boolean]>([
    ['that differs from the stored one', 'all', 3, false, true],
    ['that equals the stored one', 'all', 5, false, false],
    ['that is not stored', 'all', undefined, false, true],
    ['that was imported as single clicks', 'all', undefined, true, false],
    ['that differs alongside single clicks', 'all', 3, true, true],
    ['that is not requested', 'none', 3, false, false],
  ])('%s is replaced if necessary', (_, history, stored, isOwn, expected) => {
    const link = { ...LINK, pastClicks: 5 };
    expect(isRecounted(importWith({ history }), link, stored, isOwn)).toBe(expected);
  });
});

describe('A link whose clicks were deleted', () => {
  const link = withoutHistory({
    ...LINK,
    ...{ maxClicks: 5, clicks: 7, singles: 3, pastClicks: 7, counts: counted(7) },
    ...{ notes: ['feature_dropped', 'history_partial'] as const, message: 'Read', visitsKey: 'k' },
  });

  it('has no history to replace, and its limit is not reduced', () => {
    const { counts, ...history } = pickHistory(link);
    expect([counts, history]).toEqual([undefined, { clicks: 0, sourceId: null, visitsKey: 'k' }]);
    for (const isOwn of [true, false]) {
      expect(isRecounted(importWith(), link, undefined, isOwn)).toBe(false);
      expect(decideLimits(link, isOwn)).toEqual({ ...OPEN, maxClicks: 5 });
    }
  });

  it('is noted once in its row', () => {
    expect(toVerdictRow(link, 'created', null)).toMatchObject({
      notes: ['feature_dropped', 'history_partial'],
      message: 'Read; Its clicks were deleted here: its history is not imported again',
    });
  });
});

describe('A row in an import report', () => {
  it('explains why a row is unreadable, but contains none of its values', () => {
    expect(toUnreadableRow({ row: 3, problem: '9 columns' })).toMatchObject({
      ...{ row: 3, alias: null, longUrl: null, verdict: 'row_unreadable', message: '9 columns' },
    });
  });

  it("contains Curtail's remark before the source's remark", () => {
    const row = toVerdictRow({ ...LINK, longUrl: '', message: 'read' }, 'created', 'decided');
    expect(row).toMatchObject({ alias: 'spring', longUrl: null, message: 'decided; read' });
    expect(toVerdictRow(LINK, 'created', null).message).toBeNull();
  });

  it('says that the history is dropped even if the link is not written', () => {
    const row = toVerdictRow(LINK, 'alias_taken', null);
    expect(notWritten(row, null, { ...LINK, pastClicks: 4 })).toMatchObject({
      ...{ link: null, clicks: 4, tagNames: [] },
    });
    expect(notWritten(row, null, { row: 3, problem: 'x' })).toMatchObject({ clicks: 0 });
  });
});
