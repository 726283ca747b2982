import { DEFAULT_SETTINGS } from '../../stores/links/link';
import { toCreateLink, toLinkUpdate } from './link.dto';

const OWNER = 'a'.repeat(24);
const URL = 'https://example.com/';

describe('toCreateLink', () => {
  it.each([
    ['an account', OWNER, true],
    ['nobody', null, false],
  ])('adds the defaults for a link of %s', (_, ownerId, privateStats) => {
    const defaults = {
      ...DEFAULT_SETTINGS,
      privateStats,
      longUrl: URL,
      ownerId,
      generation: 'v2',
      reuse: false,
    };
    expect(toCreateLink({ long_url: URL }, ownerId)).toEqual(defaults);
    const nothing = { alias: null, password: null, max_clicks: null, expire_after: null };
    const flags = { block_bots: null, private_stats: null };
    expect(toCreateLink({ url: URL, ...nothing, ...flags }, ownerId)).toEqual(defaults);
  });

  it('prefers long_url to its alternative name, and cuts the alias', () => {
    const made = toCreateLink(
      { long_url: URL, url: 'https://b.example', alias: 'a'.repeat(20) },
      null,
    );
    expect(made).toMatchObject({ longUrl: URL, alias: 'a'.repeat(16) });
  });
});

describe('toLinkUpdate', () => {
  it.each([
    ['absent keys keep', {}, {}],
    ['null removes a password', { password: null }, { password: null }],
    ['null removes a limit', { max_clicks: null }, { maxClicks: null }],
    ['0 removes a limit', { max_clicks: 0 }, { maxClicks: null }],
    ['null removes an expiry', { expire_after: null }, { expireAfter: null }],
    ['null keeps a destination', { long_url: null }, {}],
    ['null keeps an alias', { alias: null }, {}],
    ['null keeps flags and status', { block_bots: null, private_stats: null, status: null }, {}],
    [
      'values are taken',
      { block_bots: false, status: 'INACTIVE' as const },
      { blockBots: false, status: 'INACTIVE' },
    ],
    ['the other name of the destination counts', { url: URL }, { longUrl: URL }],
  ])('%s', (_, body, update) => {
    expect(toLinkUpdate(body)).toEqual(update);
  });
});
