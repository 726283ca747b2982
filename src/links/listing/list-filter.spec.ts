import { BadRequestError, UnprocessableError } from '../../common/errors';
import { readFilter as readFilterAt } from './list-filter';
import { MAX_WORDS } from './search-words';

const DOMAIN = { id: 'a'.repeat(24), fqdn: 'links.example.com' };
const readFilter = (text: string | undefined) =>
  readFilterAt(text, { baseUrl: 'https://sho.rt', domains: [] });
const second = Date.UTC(2026, 10, 21, 12);

describe('the filter of a list', () => {
  it('matches every link if it is absent or empty, or if every key is null', () => {
    expect(readFilter(undefined)).toEqual({});
    expect(Object.values(readFilter('{}')).every((value) => value === undefined)).toBe(true);
    const nulls = '{"status":null,"search":null,"createdAfter":null,"passwordSet":null}';
    expect(Object.values(readFilter(nulls)).every((value) => value === undefined)).toBe(true);
  });

  it('reads all known keys and ignores other keys', () => {
    const text = JSON.stringify({
      status: 'INACTIVE',
      createdAfter: '2026-11-21T12:00:00Z',
      createdBefore: '2026-11-21T13:00+01:00',
      passwordSet: false,
      maxClicksSet: true,
      search: 'A.b*',
      owner: 'another account',
    });
    expect(readFilter(text)).toEqual({
      status: 'INACTIVE',
      createdAfter: second,
      createdBefore: second,
      passwordSet: false,
      maxClicksSet: true,
      search: [{ part: 'a.b*', alias: null }],
    });
  });

  it.each(['ACTIVE', 'INACTIVE', 'EXPIRED', 'BLOCKED'])('accepts the status %s', (status) => {
    expect(readFilter(JSON.stringify({ status })).status).toBe(status);
  });

  it.each([
    ['serch', 'search'],
    ['q', 'search'],
    ['created_after', 'createdAfter'],
    ['Status', 'status'],
    ['password-set', 'passwordSet'],
  ])('rejects %s, which resembles one of its keys', (name, meant) => {
    const refused = { status: 422, field: name, hint: `Use ${meant} instead of ${name}` };
    expect(() => readFilter(JSON.stringify({ [name]: 'x' }))).toThrow(
      expect.objectContaining(refused),
    );
    expect(readFilter(JSON.stringify({ [name]: null }))).toEqual({});
  });

  it('reads Unix times as whole seconds, as a number or as text', () => {
    for (const unix of [second / 1000, String(second / 1000)]) {
      const text = JSON.stringify({ createdAfter: unix, createdBefore: unix });
      expect(readFilter(text)).toMatchObject({ createdAfter: second, createdBefore: second + 999 });
    }
  });

  it.each([
    'x',
    '',
    '[]',
    'null',
    '"text"',
    '5',
    '{"status":"active"}',
    '{"status":1}',
    '{"passwordSet":"true"}',
    '{"maxClicksSet":1}',
    '{"search":5}',
    JSON.stringify({ search: 'x'.repeat(501) }),
    JSON.stringify({ search: Array.from({ length: MAX_WORDS + 1 }, (_, i) => i).join(' ') }),
    '{"createdAfter":true}',
    '{"createdBefore":1.5}',
    '{"createdBefore":[]}',
  ])('rejects the type of %s', (text) => {
    expect(() => readFilter(text)).toThrow(UnprocessableError);
  });

  it.each([
    '{"createdAfter":"yesterday"}',
    '{"createdBefore":"2026-02-30"}',
    '{"createdAfter":""}',
  ])('rejects the unreadable time of %s with a rule (400)', (text) => {
    expect(() => readFilter(text)).toThrow(BadRequestError);
    expect(() => readFilter(text)).toThrow(expect.objectContaining({ field: 'filter' }));
  });

  it('ignores property names of Object', () => {
    expect(readFilter('{"__proto__":{"status":"nonsense"}}').status).toBeUndefined();
  });

  it.each([
    ['default', null],
    ['links.example.com', [DOMAIN.id]],
    ['LINKS.example.com.', [DOMAIN.id]],
    ['other.example.com', []],
    [DOMAIN.id, []],
    ['', []],
  ])('with the domain %j means %j', (domain, expected) => {
    const places = { baseUrl: 'https://sho.rt', domains: [DOMAIN] };
    expect(readFilterAt(JSON.stringify({ domain }), places).domain).toEqual(expected);
  });
});
