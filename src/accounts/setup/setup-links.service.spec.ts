import { createHash } from 'node:crypto';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import type { HttpOptions, OauthOptions, SiteOptions } from '../../config/options';
import { SetupClosedError, SetupLinkError } from '../account/accounts.errors';
import type { AccountsRepository } from '../account/accounts.repository';
import { SetupLinksService } from './setup-links.service';
import type { SetupTokensRepository } from './setup-tokens.repository';

type Stored = Parameters<SetupTokensRepository['put']>[0];

/** Keeps one installation's record and accounts in memory. */
class Installation {
  fresh: boolean | null = null;
  stored: Stored | null = null;
  hasAdmin = false;
  readonly log = new QuietLogger();
  readonly links: SetupLinksService;

  constructor(
    public isEmpty: boolean,
    passwordSignIn = true,
  ) {
    const tokens = {
      isFresh: () => Promise.resolve(this.fresh),
      markFirstStart: (fresh: boolean) => Promise.resolve(void (this.fresh ??= fresh)),
      put: (token: Stored) => Promise.resolve(void (this.stored = token)),
      has: (digest: string, now: Date) => Promise.resolve(this.isStored(digest, now)),
      takeToken: (digest: string, now: Date) => {
        const taken = this.isStored(digest, now) ? this.stored : null;
        if (taken !== null) this.stored = null;
        return Promise.resolve(taken);
      },
      restore: (token: Stored) => Promise.resolve(void (this.stored ??= token)),
      clear: () => Promise.resolve(void (this.stored = null)),
    } as unknown as SetupTokensRepository;
    const accounts = {
      isEmpty: () => Promise.resolve(this.isEmpty),
      hasAdmin: () => Promise.resolve(this.hasAdmin),
    } as unknown as AccountsRepository;
    const http = { baseUrl: 'https://go.test' } as HttpOptions;
    const site = { passwordSignIn } as SiteOptions;
    const oauth = { providers: [{ title: 'Google' }] } as unknown as OauthOptions;
    this.links = new SetupLinksService(tokens, accounts, http, site, oauth, this.log);
  }

  private isStored(digest: string, now: Date): boolean {
    return this.stored?.digest === digest && this.stored.expires_at > now;
  }

  async token(): Promise<string> {
    return new URL((await this.links.issue()).link).searchParams.get('token') ?? '';
  }
}

const nothing = () => Promise.resolve();

describe('set-up links', () => {
  it('are logged at the first start without accounts, and stored only as a digest', async () => {
    const installation = new Installation(true);
    await installation.links.announce();
    const [line] = installation.log.linesAt('warn');
    const [, token = ''] =
      /https:\/\/go\.test\/setup\?token=([\w-]{43})$/.exec(line?.message ?? '') ?? [];
    const digest = createHash('sha256').update(token).digest('hex');
    expect(installation.stored).toEqual({ digest, expires_at: expect.any(Date) as Date });
    await expect(installation.links.demand(token)).resolves.toBe(token);
  });

  it('are not created if the first start found accounts', async () => {
    const installation = new Installation(false);
    await installation.links.announce();
    await expect(installation.links.issue()).rejects.toThrow(SetupClosedError);
    expect(installation.log.lines).toEqual([]);
  });

  it('are created even if an account registers before the link is logged', async () => {
    const installation = new Installation(true);
    await installation.links.markFirstStart();
    installation.isEmpty = false;
    await installation.links.announce();
    expect(installation.log.linesAt('warn')).toHaveLength(1);
  });

  it('become invalid when the first administrator exists, also after later starts', async () => {
    const installation = new Installation(true);
    await installation.links.announce();
    const token = await installation.token();
    installation.hasAdmin = true;
    await expect(installation.links.demand(token)).rejects.toThrow(SetupLinkError);
    await installation.links.announce();
    expect([installation.stored, installation.log.lines.length]).toEqual([null, 1]);
  });

  it('are not created if passwords are disabled, and a log line lists the providers', async () => {
    const installation = new Installation(true, false);
    await installation.links.announce();
    await expect(installation.links.issue()).rejects.toThrow('ADMIN_EMAILS');
    expect(installation.log.linesAt('warn').map(({ message }) => message)).toEqual([
      expect.stringMatching(/Google.*ADMIN_EMAILS/),
    ]);
  });

  it.each([undefined, '', ['x'], 'x'.repeat(43), 'x'.repeat(44)])(
    'cannot be used with the token %p',
    async (token) => {
      const installation = new Installation(true);
      await installation.links.announce();
      await expect(installation.links.demand(token)).rejects.toThrow(SetupLinkError);
    },
  );

  it('are replaced by newer links', async () => {
    const installation = new Installation(true);
    await installation.links.announce();
    const [first, second] = [await installation.token(), await installation.token()];
    await expect(installation.links.demand(first)).rejects.toThrow(SetupLinkError);
    await expect(installation.links.spend(second, nothing)).resolves.toBeUndefined();
    await expect(installation.links.spend(second, nothing)).rejects.toThrow(SetupLinkError);
  });

  it('stay valid if the action fails', async () => {
    const installation = new Installation(true);
    await installation.links.announce();
    const token = await installation.token();
    const failure = () => Promise.reject(new Error('a failure'));
    await expect(installation.links.spend(token, failure)).rejects.toThrow('a failure');
    await expect(installation.links.demand(token)).resolves.toBe(token);
  });
});
