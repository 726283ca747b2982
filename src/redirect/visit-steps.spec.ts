import type { RememberedLink } from '../link-store/link';
import { toLink } from '../link-store/link.schema';
import { aLinkRecord } from '../testing/stored-link';
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
const ending = { expireAfter: new Date(NOW) };
const locked = { passwordHash: '$2b$10$hash' };
const noBots = { blockBots: true };
const limited = { maxClicks: 3 };

describe('the steps of a visit', () => {
  it.each<[string, Partial<RememberedLink>, Partial<Visit>, string]>([
    ['a link without rules', {}, {}, 'click'],
    ['a link without rules, to a bot', {}, { userAgent: BOT }, 'click'],
    ['a link that is switched off', off, {}, 'gone'],
    ['a link that expires at this moment', ending, {}, 'gone'],
    ['a link that expires later', { expireAfter: new Date(NOW + 1) }, {}, 'click'],
    ['a link with a password', locked, {}, 'password'],
    ['the same, unlocked', locked, { unlocked: true }, 'click'],
    ['a link that blocks bots', noBots, {}, 'click'],
    ['the same, to a bot', noBots, { userAgent: BOT }, 'forbidden'],
    ['the same, to a bot that sends HEAD', noBots, { userAgent: BOT, counted: false }, 'click'],
    ['the same, to a link previewer', noBots, { userAgent: 'WhatsApp/2.23.20.0' }, 'forbidden'],
    ['the same, to a browser that asks ahead', noBots, { flags: 1 }, 'forbidden'],
    ['a link with a limit', limited, {}, 'slot'],
    // In the order of docs/contract.md#8.1.
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
    ['a locked link with a limit', { ...locked, ...limited }, {}, 'password'],
    ['the same, unlocked', { ...locked, ...limited }, { unlocked: true }, 'slot'],
  ])('%s', (_, rules, visit, expected) => {
    const link = aLink(rules);
    const step = (): string => {
      try {
        return nextStep(link, aVisit(visit));
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    // The second visit goes by what the first has found out about the link.
    expect([step(), step()]).toEqual([expected, expected]);
  });

  it('are left out for links that none of them concerns', () => {
    const [plain, expiring] = [aLink(), aLink({ expireAfter: new Date(NOW + 1) })];
    nextStep(plain, aVisit());
    nextStep(expiring, aVisit());
    expect([plain.isPlain, expiring.isPlain]).toEqual([true, false]);
  });
});
