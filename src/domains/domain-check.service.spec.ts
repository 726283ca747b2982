import type { DnsFindings, Domain } from '../stores/domains/domain';
import { DomainCheckService } from './domain-check.service';
import type { TxtAnswer } from './dns-questions';
import { challengeText } from './domain-name';

const HOUR = 3_600_000;
const NOW = new Date('2030-01-01T00:00:00Z');
const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR);
const RIGHT: TxtAnswer = { texts: ['x', challengeText('token')] };
const WRONG: TxtAnswer = { texts: [challengeText('other')] };
const many = (count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${i}`);
const BEFORE = { texts: [], addresses: ['192.0.2.9'], matches: false };
const DOMAIN = {
  ...{ id: 'd', ownerId: 'o', fqdn: 'go.example.com', token: 'token', dns: BEFORE },
  ...{ failingSince: null, status: 'pending' },
} as unknown as Domain;
const HELD: Domain = { ...DOMAIN, status: 'active' };

describe('The check of a domain', () => {
  let txt: TxtAnswer;
  let addresses: Record<string, string[] | null>;
  let holder: Domain | null;
  let isTimeout: boolean;
  const noteFailure = jest.fn((_: string, error: string, dns: DnsFindings | null) =>
    Promise.resolve({ ...DOMAIN, error, dns }),
  );
  const activate = jest.fn<Promise<Domain | null>, unknown[]>(() => Promise.resolve(HELD));
  const revoke = jest.fn<Promise<Domain | null>, unknown[]>(() => Promise.resolve(holder));
  const noteCheck = jest.fn<Promise<Domain | null>, unknown[]>(() => Promise.resolve(HELD));
  const tell = jest.fn();
  const tellChange = jest.fn();
  const check = (domain: Domain, publicAddresses: string[] = []) =>
    new DomainCheckService(
      {
        noteFailure,
        activate,
        revoke,
        noteCheck,
        findHolder: () => Promise.resolve(holder),
      } as never,
      { tellChange } as never,
      {
        run: (_: string, ask: (questions: object) => unknown, late: () => unknown) =>
          isTimeout
            ? late()
            : ask({
                texts: () => Promise.resolve(txt),
                addresses: (name: string) =>
                  Promise.resolve(addresses[name] === null ? null : (addresses[name] ?? [])),
              }),
      } as never,
      { tell } as never,
      { recheck: { everyMs: 6 * HOUR, graceMs: 72 * HOUR }, publicAddresses } as never,
      { baseUrl: 'https://base.test' } as never,
    ).check(domain);

  beforeEach(() => {
    jest.clearAllMocks();
    jest.useFakeTimers({ now: NOW });
    [txt, addresses, holder, isTimeout] = [RIGHT, {}, null, false];
  });
  afterEach(() => jest.useRealTimers());

  it.each<[string, TxtAnswer, RegExp]>([
    ['missing', 'none', /There is no TXT record _curtail.go.example.com/],
    ['unanswered', 'silence', /did not answer/],
    ['another one', WRONG, /does not have the required value/],
  ])('leaves the domain pending if its record is %s', async (_, answer, error) => {
    txt = answer;
    expect((await check(DOMAIN))?.error).toMatch(error);
    expect(activate).not.toHaveBeenCalled();
  });

  it('activates the domain if its record exists, and schedules the next check', async () => {
    expect((await check(DOMAIN))?.status).toBe('active');
    expect(activate).toHaveBeenCalledWith('d', expect.anything(), NOW, at(6));
    expect(tellChange).toHaveBeenCalledWith(HELD);
  });

  it("gives a name to another account only if the holder's record is missing", async () => {
    holder = { ...HELD, id: 'holder', ownerId: 'other', token: 'lost' };
    await check(DOMAIN);
    expect(revoke).toHaveBeenCalledWith('holder', NOW);
    expect(tell).toHaveBeenCalledWith(holder, 'taken over');
    expect(activate).toHaveBeenCalledTimes(1);

    holder = { ...holder, token: 'token' };
    expect((await check(DOMAIN))?.error).toMatch(/another account uses this name/);
    expect(activate).toHaveBeenCalledTimes(1);
  });

  it('reports that another request has activated the name concurrently', async () => {
    activate.mockResolvedValueOnce(null);
    expect((await check(DOMAIN))?.error).toMatch(/another account uses this name/);
  });

  const MISSING_71: Partial<Domain> = { failingSince: at(-71) };
  const MISSING_72: Partial<Domain> = { failingSince: at(-72) };
  const SUSPENDED: Partial<Domain> = { status: 'suspended', failingSince: at(-90) };

  it.each<[string, Partial<Domain>, TxtAnswer, object, Date, unknown[] | null]>([
    ['right', {}, RIGHT, { lastVerifiedAt: NOW, failingSince: null }, at(6), null],
    ['right again', MISSING_71, RIGHT, { failingSince: null, error: null }, at(6), null],
    ['right again after a suspension', SUSPENDED, RIGHT, { status: 'active' }, at(6), null],
    ['missing', {}, 'none', { failingSince: NOW }, at(6), ['missing', at(72)]],
    ['another one', {}, WRONG, { failingSince: NOW }, at(6), ['missing', at(72)]],
    ['still missing', MISSING_71, 'none', { failingSince: at(-71) }, at(1), null],
    ['missing for too long', MISSING_72, 'none', { status: 'suspended' }, at(6), ['suspended']],
    ['missing after a suspension', SUSPENDED, 'none', { failingSince: at(-90) }, at(6), null],
    ['unanswered, which does not count', MISSING_72, 'silence', {}, at(6), null],
  ])('of an active domain whose record is %s', async (_, traits, answer, found, next, mail) => {
    txt = answer;
    await check({ ...HELD, ...traits });
    expect(noteCheck).toHaveBeenCalledWith('d', expect.objectContaining(found), next, NOW);
    expect(tell.mock.calls).toEqual(mail === null ? [] : [[HELD, ...mail]]);
    const [[, noted]] = noteCheck.mock.calls as unknown as [[string, Partial<Domain>]];
    const isSuspended = mail?.[0] === 'suspended';
    expect(noted.status === 'suspended').toBe(isSuspended);
  });

  it('sends no email about a domain that was removed during the check', async () => {
    txt = 'none';
    noteCheck.mockResolvedValueOnce(null);
    expect(await check(HELD)).toBeNull();
    expect([tell.mock.calls, tellChange.mock.calls]).toEqual([[], []]);
  });

  it.each<[string, TxtAnswer, string[], string[], Partial<DnsFindings>]>([
    ['no record', 'none', [], [], { texts: [], addresses: [], matches: false }],
    ['an unanswered query', 'silence', [], [], { texts: null }],
    ['other values', WRONG, [], [], { texts: [challengeText('other')] }],
    ['a long value', { texts: ['x'.repeat(999)] }, [], [], { texts: ['x'.repeat(255)] }],
    ['the proof alone', RIGHT, [], [], { texts: [challengeText('token')] }],
    ['the address of the host', RIGHT, ['192.0.2.1'], [], { matches: true }],
    ['another address', RIGHT, ['192.0.2.2'], [], { addresses: ['192.0.2.2'], matches: false }],
    ['a configured address', RIGHT, ['192.0.2.2'], ['192.0.2.2'], { matches: true }],
    ['twenty addresses', RIGHT, many(99), many(99), { addresses: many(20), matches: true }],
  ])('stores %s', async (_, answer, own, configured, found) => {
    txt = answer;
    addresses = { 'go.example.com': own, 'base.test': ['192.0.2.1'] };
    await check(HELD, configured);
    const [[, noted]] = noteCheck.mock.calls as unknown as [[string, Domain]];
    expect(noted.dns).toMatchObject(found);
  });

  it.each<[string, string[] | null, string[] | null, string[] | null]>([
    ['of the domain', null, ['192.0.2.1'], null],
    ['of this service', ['192.0.2.1'], null, null],
    ['of this service, which has none to compare', [], null, []],
  ])(
    'does not compare addresses if DNS does not respond for those %s',
    async (_, own, base, found) => {
      addresses = { 'go.example.com': own, 'base.test': base };
      await check(HELD);
      const [[, noted]] = noteCheck.mock.calls as unknown as [[string, Domain]];
      expect(noted.dns).toMatchObject({ addresses: found, matches: false });
    },
  );

  it('keeps the earlier results if DNS does not respond in time', async () => {
    isTimeout = true;
    expect((await check(DOMAIN))?.dns).toEqual(BEFORE);
  });
});
