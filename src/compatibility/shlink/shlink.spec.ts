import { MisplacedTimeError } from '../../links/making/links.errors';
import { renamedProblems } from '../compatible-request';
import { LINK_ORDERS, readFilters, readOrder, readPaging } from './shlink-query';
import {
  pagination,
  SHLINK_NAMES,
  toChangedFields,
  toNewFields,
  visitsSummary,
} from './shlink-url';

const NOW = Date.UTC(2026, 0, 15);

describe('The fields of a Shlink request', () => {
  it('are converted to the fields of a new link', () => {
    const body = {
      ...{ longUrl: 'https://a.test', customSlug: 'a b/c', tags: ['x'], title: ' T\nU ' },
      ...{ validSince: '2026-01-14T00:00:00+00:00', validUntil: '2026-02-01T00:00:00+01:00' },
      ...{ maxVisits: 3, findIfExists: true, domain: null, shortCodeLength: 9, crawlable: true },
    };
    expect(toNewFields(body, NOW)).toEqual({
      ...{ long_url: 'https://a.test', alias: 'a-b-c', tags: ['x'], title: 'T U' },
      ...{ starts_at: null, expire_after: '2026-02-01T00:00:00+01:00', max_clicks: 3 },
      ...{ forward_query: true, reuse: true },
    });
  });

  it('have the same meaning in a form', () => {
    const form = { 'tags[]': 'x', maxVisits: '3', forwardQuery: 'false' };
    expect(toNewFields(form, NOW)).toEqual({ tags: ['x'], max_clicks: 3, forward_query: false });
    expect(toNewFields({ maxVisits: 'x' }, NOW)).toMatchObject({ max_clicks: 'x' });
  });

  it('are converted to a change, and null removes four of them', () => {
    const body = {
      validSince: null,
      validUntil: null,
      maxVisits: null,
      title: null,
      longUrl: null,
    };
    expect(toChangedFields(body, NOW)).toEqual({
      ...{ starts_at: null, expire_after: null, max_clicks: null, title: null },
    });
    expect(toChangedFields({}, NOW)).toEqual({});
  });

  it('are rejected if they contain a path prefix or a limit of 0', () => {
    const refusal = (field: string) => expect.objectContaining({ status: 400, field });
    expect(() => toNewFields({ pathPrefix: 'x' }, NOW)).toThrow(refusal('pathPrefix'));
    expect(() => toChangedFields({ maxVisits: 0 }, NOW)).toThrow(refusal('max_clicks'));
    expect(toNewFields({ pathPrefix: '' }, NOW)).toEqual({ forward_query: true });
  });
});

it("Errors about a time name the other time as Shlink's clients know it", () => {
  expect(renamedProblems(new MisplacedTimeError('starts_at'), SHLINK_NAMES)).toEqual([
    { field: 'validSince', error: 'validSince must be before validUntil' },
  ]);
});

describe("A list for Shlink's clients", () => {
  it.each([
    [{}, { page: 1, size: 10 }],
    [
      { page: '3', itemsPerPage: '20' },
      { page: 3, size: 20 },
    ],
    [
      { page: 'abc', itemsPerPage: 'abc' },
      { page: 1, size: 10 },
    ],
    [
      { page: '-5', itemsPerPage: '-5' },
      { page: 1, size: 10 },
    ],
    [
      { page: '2', itemsPerPage: '100000' },
      { page: 2, size: 100 },
    ],
    [
      { page: '2', itemsPerPage: '-1' },
      { page: 1, size: 1000 },
    ],
    [{ page: ['2'] }, { page: 1, size: 10 }],
  ])('with the query %j has the page %j', (query, paging) =>
    expect(readPaging(query, 1000)).toEqual(paging),
  );

  it('is sorted as requested', () => {
    const read = (order: unknown) => readOrder(order, LINK_ORDERS, 'dateCreated-DESC');
    for (const none of [undefined, '']) {
      expect(read(none)).toEqual({ by: 'created_at', descending: true });
    }
    expect(read('visits-ASC')).toEqual({ by: 'total_clicks', descending: false });
    for (const order of ['longUrl-ASC', 'visits', 'visits-asc', 'constructor-ASC', ['a', 'b']]) {
      expect(() => read(order)).toThrow(expect.objectContaining({ field: 'orderBy' }));
    }
  });

  it('is filtered as in /api/v1', () => {
    const query = {
      ...{ searchTerm: 'x', 'tags[]': ['a', 'b'], tagsMode: 'all', 'excludeTags[]': 'c' },
      ...{ startDate: '2026-01-01', endDate: '', domain: 'DEFAULT' },
    };
    expect(readFilters(query, (host) => host.toLowerCase())).toEqual({
      ...{ search: 'x', tags: ['a', 'b'], tagsMode: 'all', excludeTags: ['c'] },
      ...{ createdAfter: '2026-01-01', domain: 'default' },
    });
    // The validation of the filter rejects a list.
    expect(readFilters({ domain: ['a.test'] }, String)).toMatchObject({ domain: ['a.test'] });
    const refusal = expect.objectContaining({ field: 'excludePastValidUntil' });
    expect(() => readFilters({ excludePastValidUntil: 'true' }, String)).toThrow(refusal);
  });

  it('has at least one page', () => {
    expect(pagination({ page: 1, size: 10 }, 0, 0)).toMatchObject({ pagesCount: 1, totalItems: 0 });
    expect(pagination({ page: 2, size: 10 }, 1, 11)).toEqual({
      ...{ currentPage: 2, pagesCount: 2, itemsPerPage: 10, itemsInCurrentPage: 1, totalItems: 11 },
    });
  });
});

describe('A summary of visits', () => {
  it('has a correct total even if clicks were recorded meanwhile', () => {
    expect(visitsSummary(5, 3)).toEqual({ total: 5, nonBots: 3, bots: 2 });
    expect(visitsSummary(5, 6)).toEqual({ total: 6, nonBots: 6, bots: 0 });
  });
});
