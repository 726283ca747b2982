import fc from 'fast-check';
import type { RememberedLink } from '../stores/links/link';
import { toLink } from '../stores/links/link.schema';
import { aLinkRecord } from '../../test/support/shared/stored-link';
import { nextStep, type Visit } from './visit-steps';

const NOW = Date.UTC(2030, 0, 1);
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const aVisit = (changes: Partial<Visit> = {}): Visit => ({
  at: NOW,
  begun: 0,
  counted: true,
  address: '192.0.2.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  referer: undefined,
  query: '',
  flags: 0,
  ...changes,
});
const aLink = (changes: Partial<RememberedLink> = {}): RememberedLink => ({
  ...toLink(aLinkRecord()),
  ...changes,
});
const off = { status: 'INACTIVE' } as const;
const blocked = { reason: 'Spam', at: new Date(NOW), by: 'admin' } as const;
const ending = { expireAfter: new Date(NOW) };
const locked = { passwordHash: '$2b$10$hash' };
const noBots = { blockBots: true };
const limited = { maxClicks: 3 };
const uncounted = { countBots: false };
const used = { ...off, closedByLimit: true, maxClicks: 3 };
const coming = { startsAt: new Date(NOW + 1) };
const before = { preStartUrl: 'https://soon.example/ü' };
const after = { expiredRedirectUrl: 'https://over.example/' };
const [soon, over] = ['pre_start https://soon.example/ü', 'expired https://over.example/'];

/** Returns the next step as a word, or the error code if the visit is refused. */
function stepOf(link: RememberedLink, visit: Visit): string {
  try {
    const next = nextStep(link, visit);
    return typeof next === 'object' ? `${next.outcome} ${next.url}` : next;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('the steps of a visit', () => {
  it.each<[string, Partial<RememberedLink>, Partial<Visit>, string]>([
    ['a link without rules', {}, {}, 'click'],
    ['a link without rules, to a bot', {}, { userAgent: BOT }, 'click'],
    ['a link that is switched off', off, {}, 'gone'],
    ['a link that is blocked', { blocked }, {}, 'gone'],
    ['the same, before its start', { blocked, ...coming, ...before }, {}, 'gone'],
    ['a link that expires at this moment', ending, {}, 'gone'],
    ['a link that expires later', { expireAfter: new Date(NOW + 1) }, {}, 'click'],
    ['a link with a password', locked, {}, 'password'],
    ['the same, unlocked', locked, { unlocked: true }, 'click'],
    ['a link that blocks bots', noBots, {}, 'click'],
    ['the same, to a bot', noBots, { userAgent: BOT }, 'forbidden'],
    ['the same, to a bot that sends HEAD', noBots, { userAgent: BOT, counted: false }, 'click'],
    ['the same, to a link previewer', noBots, { userAgent: 'WhatsApp/2.23.20.0' }, 'forbidden'],
    ['the same, to a browser that prefetches', noBots, { flags: 1 }, 'forbidden'],
    ['a link with a limit', limited, {}, 'slot'],
    // The cases are in the order of docs/contract.md#8.1.
    ['a link that is off, locked and against bots', { ...off, ...locked, ...noBots }, {}, 'gone'],
    [
      'a locked link against bots, to a bot',
      { ...locked, ...noBots },
      { userAgent: BOT },
      'password',
    ],
    [
      'the same, unlocked',
      { ...locked, ...noBots },
      { userAgent: BOT, unlocked: true },
      'forbidden',
    ],
    [
      'a limited link against bots, to a bot',
      { ...limited, ...noBots },
      { userAgent: BOT },
      'forbidden',
    ],
    ['a link that counts people alone', uncounted, {}, 'click'],
    ['the same, to a bot', uncounted, { userAgent: BOT }, 'exempt'],
    ['the same, to a prefetch', uncounted, { flags: 1 }, 'exempt'],
    ['the same, to a bot that sends HEAD', uncounted, { userAgent: BOT, counted: false }, 'click'],
    ['the same with a limit', { ...limited, ...uncounted }, {}, 'slot'],
    ['the same, to a previewer', { ...limited, ...uncounted }, { userAgent: 'Viber' }, 'exempt'],
    ['the same, off', { ...off, ...limited, ...uncounted }, { userAgent: BOT }, 'gone'],
    ['the same, against bots', { ...noBots, ...uncounted }, { userAgent: BOT }, 'forbidden'],
    ['the same, locked', { ...locked, ...uncounted }, { userAgent: BOT }, 'password'],
    ['a locked link with a limit', { ...locked, ...limited }, {}, 'password'],
    ['the same, unlocked', { ...locked, ...limited }, { unlocked: true }, 'slot'],
    // docs/contract.md#26.2.
    ['a link that starts at this moment', { startsAt: new Date(NOW), ...before }, {}, 'click'],
    ['a link before its start', coming, {}, 'not_found'],
    ['a link with an address before its start', { ...coming, ...before }, {}, soon],
    ['the same, to HEAD', { ...coming, ...before }, { counted: false }, soon],
    ['a link with an address after its end', { ...ending, ...after }, {}, over],
    ['a link whose clicks are used up', used, {}, 'gone'],
    ['the same with an address after its end', { ...used, ...after }, {}, over],
    [
      'a paused link, regardless of its other settings',
      { ...off, ...coming, ...before, ...after },
      {},
      'gone',
    ],
    ['a link that is off and over', { ...off, ...ending, ...after }, {}, 'gone'],
    ['one used up before its start', { ...used, ...coming, ...before, ...after }, {}, over],
    [
      'one used up before its start, without address',
      { ...used, ...coming, ...before },
      {},
      'gone',
    ],
    [
      'a locked link against bots before its start, to a bot',
      { ...locked, ...noBots, ...coming, ...before },
      { userAgent: BOT },
      soon,
    ],
    [
      'the same after its end',
      { ...locked, ...noBots, ...ending, ...after },
      { userAgent: BOT },
      over,
    ],
    ['a limited link before its start', { ...limited, ...coming }, {}, 'not_found'],
  ])('%s', (_, rules, visit, expected) => {
    const link = aLink(rules);
    const step = (): string => stepOf(link, aVisit(visit));
    // The second visit reuses what the first visit computed for the link.
    expect([step(), step()]).toEqual([expected, expected]);
  });

  it('are in the order of docs/contract.md#8.1 in every combination', () => {
    const times = fc.constantFrom(null, new Date(NOW - 1), new Date(NOW), new Date(NOW + 1));
    const maybe = (url: string) => fc.constantFrom(null, url);
    const links = fc.record({
      status: fc.constantFrom('ACTIVE' as const, 'INACTIVE' as const),
      closedByLimit: fc.boolean(),
      blocked: fc.constantFrom(null, blocked),
      expireAfter: times,
      startsAt: times,
      preStartUrl: maybe('soon'),
      expiredRedirectUrl: maybe('over'),
      passwordHash: maybe('$2b$10$hash'),
      blockBots: fc.boolean(),
      countBots: fc.boolean(),
      maxClicks: fc.constantFrom(null, 3),
      forwardQuery: fc.boolean(),
    });
    const visits = fc.record({
      counted: fc.boolean(),
      unlocked: fc.boolean(),
      userAgent: fc.constantFrom(BOT, aVisit().userAgent),
    });
    fc.assert(
      fc.property(links, visits, (rules, visit) => {
        const isBot = visit.userAgent === BOT && visit.counted;
        const byLimit = rules.status === 'INACTIVE' && rules.closedByLimit;
        const [start, end] = [Number(rules.startsAt ?? 0), Number(rules.expireAfter ?? Infinity)];
        const table: [boolean, string][] = [
          [rules.blocked !== null, 'gone'],
          [rules.status === 'INACTIVE' && !rules.closedByLimit, 'gone'],
          [byLimit || end <= NOW, rules.expiredRedirectUrl === null ? 'gone' : 'expired over'],
          [start > NOW, rules.preStartUrl === null ? 'not_found' : 'pre_start soon'],
          [rules.passwordHash !== null && !visit.unlocked, 'password'],
          [rules.blockBots && isBot, 'forbidden'],
          [!rules.countBots && isBot, 'exempt'],
          [rules.maxClicks !== null, 'slot'],
          [true, 'click'],
        ];
        const expected = table.find(([holds]) => holds)?.[1];
        expect(stepOf(aLink(rules), aVisit(visit))).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('are skipped for links that need none of them', () => {
    const [plain, expiring] = [aLink(), aLink({ expireAfter: new Date(NOW + 1) })];
    nextStep(plain, aVisit());
    nextStep(expiring, aVisit());
    expect([plain.isPlain, expiring.isPlain]).toEqual([true, false]);
    const others = [before, after, { forwardQuery: true }].map((fields) => aLink(fields));
    expect(others.map((link) => nextStep(link, aVisit()))).toEqual(['click', 'click', 'click']);
    expect(others.map(({ isPlain }) => isPlain)).toEqual([true, true, false]);
  });
});
