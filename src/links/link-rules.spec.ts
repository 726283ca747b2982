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
  ])('takes %s', (_, requested, stored) => {
    expect(checkedSettings(requested, null, NOW)).toEqual(stored);
  });

  it.each<[string, Partial<RulableSettings>, string]>([
    ['a password without a sign', { password: 'tulips2030' }, 'password'],
    ['an expiry at this moment', { expireAfter: NOW_UNIX }, 'expire_after'],
    ['an expiry in milliseconds', { expireAfter: NOW_UNIX * 1000 }, 'expire_after'],
    ['an expiry that is no time', { expireAfter: 'tomorrow' }, 'expire_after'],
    ['a reserved alias', { alias: 'Dashboard' }, 'alias'],
    ['the password first', { password: 'x', expireAfter: 0, alias: 'api' }, 'password'],
    ['the expiry before the alias', { expireAfter: 0, alias: 'api' }, 'expire_after'],
  ])('refuses %s', (_, requested, field) => {
    expect(() => checkedSettings(requested, null, NOW)).toThrow(expect.objectContaining({ field }));
  });

  it('lets a link keep a reserved alias that it has, and take no other', () => {
    expect(checkedSettings({ alias: 'jobs' }, { alias: 'jobs' }, NOW)).toMatchObject({
      alias: 'jobs',
    });
    expect(() => checkedSettings({ alias: 'api' }, { alias: 'jobs' }, NOW)).toThrow('reserved');
  });
});

describe('refuseWithoutOwner', () => {
  const nothing = { countBots: true, privateStats: false, title: null, note: null, tagNames: [] };

  it.each([
    ['private_stats', { privateStats: true }, undefined],
    ['count_bots', { countBots: false }, 'count_bots'],
    ['title', { title: 'Spring' }, 'title'],
    ['note', { note: 'Paris' }, 'note'],
    ['tags', { tagNames: ['sale'] }, 'tags'],
  ])('refuses %s of nobody, and lets an account have it', (name, given, field) => {
    const check = (ownerId: string | null) => () =>
      refuseWithoutOwner({ ...nothing, ownerId, ...given });
    const refusal = { status: 401, field, message: expect.stringContaining(`${name} needs`) };
    expect(check(null)).toThrow(expect.objectContaining(refusal));
    expect(check('a'.repeat(24))).not.toThrow();
  });

  it('lets nobody have a link with none of them', () => {
    expect(() => refuseWithoutOwner({ ...nothing, ownerId: null })).not.toThrow();
  });
});
