import { linkWith } from '../../test/support/shared/domain-values';
import { QuietLogger } from '../../test/support/shared/quiet-logger';
import { SIGNALS } from '../engines/click-engine/chunk/click';
import type { Link } from '../stores/links/link';
import type { QuotaDecision } from './click-quota';
import { LinkGoneError } from './redirect.errors';
import { RedirectService } from './redirect.service';
import type { NextStep, Visit } from './visit-steps';

const TARGET = 'https://example.com/';
const OVER = { url: 'https://example.com/over', outcome: 'expired' } as const;
const CLICK = {
  ...{ at: 1000, begun: 0, counted: true, address: '203.0.113.7', query: '', flags: 0 },
  ...{ userAgent: 'Mozilla/5.0', referer: undefined },
} as Visit;
const HEAD = { ...CLICK, counted: false };

describe('A redirect', () => {
  let decision: QuotaDecision;
  let steps: string[];
  const outcomes = { redirected: 0, looked: 0, expired: 0, pre_start: 0 };
  const takeSlot = jest.fn(() => Promise.resolve(decision));
  const check = jest.fn(() => Promise.resolve(decision));
  const append = jest.fn((_click: object, written: () => void) => {
    steps.push('journal');
    written();
  });
  const preparation = jest.fn<Promise<void> | null, []>(() => null);
  const log = new QuietLogger();
  const open = (level = 'info') =>
    new RedirectService(
      { takeSlot, check } as never,
      {
        preparation,
        findFor: () => ({ location: 'https://variant.example/', key: 'b' }),
      } as never,
      { append } as never,
      { outcomes, redirected: () => steps.push('metered') } as never,
      log,
      { level } as never,
    );
  const send = (location: string) => {
    steps.push(location);
    return 'request';
  };
  const go = (traits: Partial<Link>, visit: Visit, next: NextStep) =>
    open().redirect(
      { ...linkWith({ longUrl: TARGET, ...traits }), isPlain: true },
      visit,
      send,
      next,
    );
  const clicks = () => append.mock.calls.map(([click]) => click);

  beforeEach(() => {
    jest.clearAllMocks();
    steps = [];
    decision = { link: { ...linkWith(), isPlain: true }, slot: true, diversion: null };
  });

  it('is sent after its click is in the journal, synchronously for a plain link', () => {
    expect(go({}, CLICK, 'click')).toBeUndefined();
    expect(steps).toEqual(['journal', TARGET, 'metered']);
    expect(clicks()).toMatchObject([{ slot: false, flags: 0, variant: '', ip: '203.0.113.7' }]);
  });

  it('of HEAD records no click', () => {
    void go({}, HEAD, 'click');
    expect([steps, clicks()]).toEqual([[TARGET], []]);
  });

  it('to another address records no click', () => {
    const before = outcomes.expired;
    void go({}, CLICK, OVER);
    expect([steps, clicks(), outcomes.expired]).toEqual([[OVER.url], [], before + 1]);
  });

  it.each<[string, Visit, NextStep, Partial<QuotaDecision>, object[], string]>([
    ['takes a slot', CLICK, 'slot', {}, [{ slot: true, flags: 0 }], TARGET],
    ['leads elsewhere without a slot', CLICK, 'slot', { diversion: OVER }, [], OVER.url],
    ['of HEAD takes no slot', HEAD, 'slot', {}, [], TARGET],
    ['of HEAD leads elsewhere without a slot', HEAD, 'slot', { diversion: OVER }, [], OVER.url],
    [
      'of an exempt bot takes no slot',
      CLICK,
      'exempt',
      { link: { ...linkWith({ countBots: false }), isPlain: true } },
      [{ slot: false, flags: SIGNALS.exempt }],
      TARGET,
    ],
    ['of an exempt bot ends with the limit', CLICK, 'exempt', { diversion: OVER }, [], OVER.url],
    ['of a bot that counts meanwhile takes a slot', CLICK, 'exempt', {}, [{ slot: true }], TARGET],
  ])('with a limit %s', async (_, visit, next, decided, recorded, location) => {
    decision = { ...decision, ...decided };
    await go({ maxClicks: 3 }, visit, next);
    expect(clicks()).toMatchObject(recorded);
    expect(clicks()).toHaveLength(recorded.length);
    expect(steps).toContain(location);
  });

  it('of an exempt bot is recorded as one, even without a limit', async () => {
    await go({}, CLICK, 'exempt');
    expect(clicks()).toMatchObject([{ slot: false, flags: SIGNALS.exempt }]);
    expect(check).not.toHaveBeenCalled();
  });

  it('is rejected if no click is left, and records nothing', async () => {
    takeSlot.mockRejectedValueOnce(new LinkGoneError());
    await expect(go({ maxClicks: 3 }, CLICK, 'slot')).rejects.toThrow(LinkGoneError);
    expect([steps, clicks()]).toEqual([[], []]);
  });

  it('records the variant that the visitor gets, after destinations are prepared', async () => {
    preparation.mockReturnValueOnce(Promise.resolve());
    const link = { ...linkWith(), isPlain: false };
    await open().redirect(link, CLICK, send, 'click');
    expect(clicks()).toMatchObject([{ variant: 'b' }]);
    expect(steps).toContain('https://variant.example/');
  });

  it.each([
    ['the query of the visit', 'utm_source=visit', 'utm_source=visit'],
    ['the destination if the visit has none', 'x=1', 'utm_source=link'],
  ])('records the campaign of %s', (_, query, campaign) => {
    void go({ campaign: 'utm_source=link' }, { ...CLICK, query }, 'click');
    expect(clicks()).toMatchObject([{ query: campaign }]);
  });

  it.each([
    ['debug', 1],
    ['info', 0],
  ])('is logged at level %s this many times: %i', (level, times) => {
    log.lines.length = 0;
    void open(level).redirect({ ...linkWith(), isPlain: true }, CLICK, send, 'click');
    expect(log.lines).toHaveLength(times);
  });
});
