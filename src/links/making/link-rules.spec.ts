import { DEFAULT_SETTINGS } from '../../stores/links/link';
import { checkedSettings, refuseWithoutOwner, type RulableSettings } from './link-rules';

const NOW = new Date('2030-01-01T00:00:00.250Z');
const NOW_UNIX = 1_893_456_000;

describe('checkedSettings', () => {
  it.each<[string, Partial<RulableSettings>, object]>([
    ['nothing', {}, {}],
    [
      'flags and a limit, as they are',
      { maxClicks: 3, blockBots: true },
      { maxClicks: 3, blockBots: true },
    ],
    [
      'null, which removes',
      { maxClicks: null, expireAfter: null },
      { maxClicks: null, expireAfter: null },
    ],
    [
      'Unix seconds',
      { expireAfter: NOW_UNIX + 1 },
      { expireAfter: new Date('2030-01-01T00:00:01Z') },
    ],
    [
      'a time text',
      { expireAfter: '2030-02-01T00:00:00+02:00' },
      { expireAfter: new Date('2030-01-31T22:00:00Z') },
    ],
    ['an alias', { alias: 'spring' }, { alias: 'spring' }],
    ['no alias where one is to be generated', { alias: null }, {}],
    ['no password, which is stored as a hash alone', { password: 'tulips@2030' }, {}],
  ])('accepts %s', (_, requested, stored) => {
    expect(checkedSettings(requested, null, NOW)).toEqual(stored);
  });

  it.each<[string, Partial<RulableSettings>, string]>([
    ['a password without a sign', { password: 'tulips2030' }, 'password'],
    ['an expiry at this moment', { expireAfter: NOW_UNIX }, 'expire_after'],
    ['an expiry in milliseconds', { expireAfter: NOW_UNIX * 1000 }, 'expire_after'],
    ['an expiry that is not a time', { expireAfter: 'tomorrow' }, 'expire_after'],
    ['a reserved alias', { alias: 'Dashboard' }, 'alias'],
    ['the password first', { password: 'x', expireAfter: 0, alias: 'api' }, 'password'],
    ['the expiry before the alias', { expireAfter: 0, alias: 'api' }, 'expire_after'],
  ])('rejects %s', (_, requested, field) => {
    expect(() => checkedSettings(requested, null, NOW)).toThrow(expect.objectContaining({ field }));
  });

  it('lets a link keep its reserved alias, but rejects a change to one', () => {
    const link = { alias: 'jobs', expireAfter: null, startsAt: null };
    expect(checkedSettings({ alias: 'jobs' }, link, NOW)).toMatchObject({ alias: 'jobs' });
    expect(() => checkedSettings({ alias: 'api' }, link, NOW)).toThrow('reserved');
  });

  const at = (seconds: number): Date => new Date((NOW_UNIX + seconds) * 1000);
  const from = (startsAt: Date | null, expireAfter: Date | null) => ({
    alias: 'spring',
    startsAt,
    expireAfter,
  });

  it.each<[string, Partial<RulableSettings>, ReturnType<typeof from> | null, object]>([
    ['a start of a new link', { startsAt: NOW_UNIX + 9 }, null, { startsAt: at(9) }],
    [
      'a start a second before the end',
      { startsAt: NOW_UNIX + 8, expireAfter: NOW_UNIX + 9 },
      null,
      { startsAt: at(8), expireAfter: at(9) },
    ],
    [
      'an unchanged start, after its time',
      { startsAt: NOW_UNIX - 60 },
      from(at(-60), at(9)),
      { startsAt: at(-60) },
    ],
    ['null, which removes it', { startsAt: null }, from(at(5), at(9)), { startsAt: null }],
    [
      'an end before the start that goes',
      { startsAt: null, expireAfter: NOW_UNIX + 2 },
      from(at(5), at(9)),
      { startsAt: null, expireAfter: at(2) },
    ],
    ['other settings of a link whose times cross', { maxClicks: 1 }, from(at(9), at(5)), {}],
  ])('accepts %s', (_, requested, link, stored) => {
    expect(checkedSettings(requested, link, NOW)).toMatchObject(stored);
  });

  it.each<[string, Partial<RulableSettings>, ReturnType<typeof from> | null, string]>([
    ['a start at this moment', { startsAt: NOW_UNIX }, null, 'starts_at'],
    ['a start that is not a time', { startsAt: 'soon' }, null, 'starts_at'],
    ['a start in milliseconds', { startsAt: NOW_UNIX * 1000 }, null, 'starts_at'],
    ['another past start', { startsAt: NOW_UNIX - 61 }, from(at(-60), null), 'starts_at'],
    [
      'a start at the end',
      { startsAt: NOW_UNIX + 9, expireAfter: NOW_UNIX + 9 },
      null,
      'starts_at',
    ],
    [
      'a start after the end that stays',
      { startsAt: NOW_UNIX + 10 },
      from(null, at(9)),
      'starts_at',
    ],
    [
      'an end before the start that stays',
      { expireAfter: NOW_UNIX + 4 },
      from(at(5), null),
      'expire_after',
    ],
    [
      'an end before the start that is sent back',
      { startsAt: NOW_UNIX + 5, expireAfter: NOW_UNIX + 4 },
      from(at(5), at(9)),
      'expire_after',
    ],
    ['the end before the start', { startsAt: 0, expireAfter: 0 }, null, 'expire_after'],
    ['the start before the alias', { startsAt: 0, alias: 'api' }, null, 'starts_at'],
  ])('rejects %s', (_, requested, link, field) => {
    expect(() => checkedSettings(requested, link, NOW)).toThrow(expect.objectContaining({ field }));
  });
});

describe('refuseWithoutOwner', () => {
  const nothing = DEFAULT_SETTINGS;

  it.each([
    ['private_stats', { privateStats: true }, 'private_stats'],
    ['count_bots', { countBots: false }, 'count_bots'],
    ['title', { title: 'Spring' }, 'title'],
    ['note', { note: 'Paris' }, 'note'],
    ['tags', { tagNames: ['sale'] }, 'tags'],
    ['starts_at', { startsAt: NOW_UNIX }, 'starts_at'],
    ['pre_start_url', { preStartUrl: 'https://a.example' }, 'pre_start_url'],
    ['expired_redirect_url', { expiredRedirectUrl: 'https://a.example' }, 'expired_redirect_url'],
    ['forward_query', { forwardQuery: true }, 'forward_query'],
  ])('rejects %s for anonymous callers, and allows it for an account', (name, given, field) => {
    const check = (ownerId: string | null) => () =>
      refuseWithoutOwner({ ...nothing, ownerId, ...given });
    const refusal = { status: 401, field, message: expect.stringContaining(`${name} needs`) };
    expect(check(null)).toThrow(expect.objectContaining(refusal));
    expect(check('a'.repeat(24))).not.toThrow();
  });

  it('accepts an anonymous link without such fields', () => {
    expect(() => refuseWithoutOwner({ ...nothing, ownerId: null })).not.toThrow();
  });
});
