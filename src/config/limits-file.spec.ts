import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changeLimits, limitRow } from '../auth/rate-limit/rate-limits';
import { readSettings } from './settings';

describe('LIMITS_FILE', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-limits-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() => changeLimits(new Map()));

  const read = (content: unknown) => {
    const path = join(folder, 'limits.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return readSettings({ LIMITS_FILE: path }).limits;
  };

  it('replaces the tiers that it contains, and keeps the others', () => {
    const before = limitRow('links.create');
    changeLimits(
      read({
        'links.create': { anonymous: ['100/day', '7/minute'] },
        'auth.login': 'off',
        'keys.create': { authenticated: ['50/hour'] },
      }),
    );
    expect(limitRow('links.create')).toEqual({
      ...before,
      anonymous: [
        { limit: 7, ms: 60_000 },
        { limit: 100, ms: 86_400_000 },
      ],
    });
    expect(limitRow('auth.login')).toEqual({ authenticated: [], anonymous: [] });
    expect(limitRow('keys.create').authenticated).toEqual([{ limit: 50, ms: 3_600_000 }]);
  });

  it('changes the numbers in the hints of 429 responses', () => {
    expect(limitRow('links.list').hint).toContain('allows 60 per minute and 5000 per day');
    changeLimits(read({ 'links.create': { authenticated: ['9/hour'] } }));
    expect(limitRow('links.list').hint).toContain('allows 9 per hour');
    expect(limitRow('links.create').hint).toContain('allows 9 per hour');
    expect(limitRow('legacy.shorten').hint).toContain('Move to POST /api/v1/shorten');
  });

  it.each([
    ['{', 'must be JSON'],
    [[], 'must be a JSON object'],
    [{ 'links.create': 5 }, 'links.create must be "off", or an object with'],
    [{ 'links.create': { anonymous: '5/minute' } }, 'links.create → anonymous must be a list of'],
    [
      { 'links.create': { anonymous: ['5/week'] } },
      'links.create → anonymous → 0 must be a list of',
    ],
    [
      { 'links.create': { anonymous: ['0/day'] } },
      'links.create → anonymous → 0 must be a list of',
    ],
    [
      { 'links.create': { anonymous: [] } },
      'links.create → anonymous needs a rule; to lift the limit',
    ],
    [{ 'links.create': { anonymous: ['1/day', '2/day'] } }, 'has two rules for the same unit'],
    [{ 'links.create': { everybody: ['1/day'] } }, 'links.create must be "off", or an object'],
  ])('prevents startup if it contains %j', (content, line) => {
    const path = join(folder, 'limits.json');
    const said = () => read(content);
    expect(said).toThrow(`LIMITS_FILE="${path}": `);
    expect(said).toThrow(line);
    expect(said).toThrow(/^[^\n]*$/);
  });

  it('prevents startup if it contains an unknown row', () => {
    expect(() => changeLimits(read({ 'links.crate': 'off' }))).toThrow(
      /^LIMITS_FILE: "links\.crate" is not one of links\.create, /,
    );
  });
});
