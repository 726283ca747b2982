import { accountWith } from '../../test/support/shared/domain-values';
import type { Domain } from '../stores/domains/domain';
import { type DomainEvent, domainMail, DomainMailsService } from './domain-mails.service';

const FROM = { site: 'Curtail', baseUrl: 'https://base.test' };
const END = new Date('2030-01-01T12:34:56Z');

describe('An email about a domain', () => {
  it.each<[DomainEvent, Date | undefined, RegExp, RegExp]>([
    ['missing', END, /not found in DNS/, /stop working at 2030-01-01 12:34 UTC/],
    ['missing', undefined, /_curtail\.go\.example\.com/, /stop working at a later time/],
    ['suspended', undefined, /its links do not work/, /then work again/],
    ['taken over', undefined, /Another account/, /add it again/],
    ['shared', undefined, /All accounts can now create links/, /stop sharing it/],
    ['unshared', undefined, /no longer create links/, /continue to work/],
  ])(
    '%s (%p) says what happened and what to do, and has a link to the domain',
    (event, end, lead, advice) => {
      const mail = domainMail(
        'ada@example.com',
        { id: 'd1', fqdn: 'go.example.com' },
        ...([event, FROM, end] as const),
      );
      expect(mail.values).toMatchObject({
        lead: expect.stringMatching(lead) as string,
        advice: expect.stringMatching(advice) as string,
      });
      expect(mail.subject).toContain('go.example.com');
      expect(mail.page?.path).toBe('/dashboard/domains/d1');
      expect(JSON.stringify(mail.values)).not.toContain('://');
    },
  );

  it.each([
    ['the owner', accountWith(), 1],
    ['no address if the account is gone', null, 0],
  ])('is sent to %s', async (_, account, times) => {
    const send = jest.fn();
    let work: Promise<void> = Promise.resolve();
    const mails = new DomainMailsService(
      { findById: () => Promise.resolve(account) } as never,
      { send } as never,
      { run: (_what: string, task: () => Promise<void>) => (work = task()) } as never,
      { baseUrl: FROM.baseUrl } as never,
      { name: FROM.site } as never,
    );
    mails.tell({ fqdn: 'go.example.com', ownerId: 'o' } as Domain, 'suspended');
    await work;
    expect(send.mock.calls.map(([to]: unknown[]) => to)).toEqual(
      times ? [accountWith().email] : [],
    );
  });
});
