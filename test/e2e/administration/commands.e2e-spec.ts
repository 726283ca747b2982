import { exec } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CommandEnd, curtail } from '../../support/curtail';
import {
  ADMIN_EMAIL,
  anAccount,
  anAdmin,
  aVerifiedAccount,
  type TestAccount,
  WITH_ADMIN,
} from '../../support/factories/accounts';
import { bearer, post, visit } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';

interface Made {
  readonly id: string;
  readonly alias: string;
}

describe('curtail admin', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-admin-'));
  let service: Service;
  let owner: TestAccount;
  beforeAll(async () => {
    const env = { ...WITH_ADMIN, WEB_CONCURRENCY: '2' };
    service = await startService({ embedded: true, dataDir, env });
    await anAdmin(service);
    owner = await aVerifiedAccount(service);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const admin = (...args: string[]) => curtail(dataDir, ['admin', ...args], WITH_ADMIN);
  const objectsOf = ({ out }: CommandEnd): Record<string, unknown>[] =>
    out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as never]));

  async function aLink(): Promise<Made> {
    const long_url = `https://example.com/${Math.random()}`;
    const answer = await post(service, '/api/v1/shorten', { long_url }).set(
      bearer(owner.accessToken),
    );
    expect(answer.status).toBe(201);
    return answer.body as Made;
  }

  it('blocks and unblocks links in every process of the running service', async () => {
    const { id, alias } = await aLink();
    for (let i = 0; i < 8; i++) expect((await visit(service, alias)).status).toBe(302);
    const blocked = await admin('block', alias, '--reason', 'Phishing', '--json');
    expect([blocked.code, blocked.err]).toEqual([0, '']);
    expect(objectsOf(blocked)).toMatchObject([
      { id, status: 'BLOCKED', blocked: { reason: 'Phishing' }, owner: { email: owner.email } },
    ]);
    const isEverywhere = async (status: number): Promise<boolean> => {
      for (let i = 0; i < 8; i++) if ((await visit(service, alias)).status !== status) return false;
      return true;
    };
    await eventually(() => isEverywhere(410));
    const listed = await admin('list-links', '--status=BLOCKED', '--search', alias);
    expect(listed.out).toMatch(new RegExp(`^id +short url .*\\n${id} .* BLOCKED .*Phishing\\n$`));
    expect(objectsOf(await admin('unblock', id, '--json'))).toMatchObject([{ status: 'ACTIVE' }]);
    await eventually(() => isEverywhere(302));
    expect((await admin('delete-link', id, '--reason', 'Old')).out).toContain('URL deleted');
    await eventually(() => isEverywhere(404));
    const trail = objectsOf(await admin('trail', '--json')).slice(0, 3);
    expect(trail).toMatchObject(
      ['url.delete', 'url.unblock', 'url.block'].map((act) => ({
        act,
        actor: { id: null, via: 'cli' },
        subject: { kind: 'url', id, alias },
      })),
    );
  });

  it('handles a reader that stops early, and prints short errors, and sizes for people', async () => {
    const script = join(__dirname, '../../../dist/program/cli/curtail.js');
    const env = { ...process.env, ...WITH_ADMIN, MONGODB_URI: undefined, DATA_DIR: dataDir };
    const command = `"${process.execPath}" "${script}" admin list-accounts | true`;
    expect(await promisify(exec)(command, { env })).toEqual({ stdout: '', stderr: '' });
    const wrong = await admin('list-lnks');
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.err.trim().split('\n')).toEqual([
      'Unknown command "list-lnks"',
      'Usage: curtail admin <command>',
      'Add --help for all commands and options.',
    ]);
    const { out } = await admin('overview');
    expect(out).toMatch(/^storage.free +[\d.]+ [KMGT]iB$/m);
    expect(out).toMatch(/^attention +no backup yet: curtail backup$/m);
    const [figures] = objectsOf(await admin('overview', '--json'));
    expect(figures).toMatchObject({ storage: { free_bytes: expect.any(Number) } });
  });

  it('grants the admin role, and revokes it from all admins except the last one', async () => {
    const made = await admin('make-admin', owner.email.toUpperCase(), '--json');
    expect(objectsOf(made)).toMatchObject([{ id: owner.userId, role: 'admin' }]);
    const trail = await fetch(`${service.url}/api/v1/admin/trail`, {
      headers: bearer(owner.accessToken),
    });
    expect(trail.status).toBe(200);
    expect((await admin('take-admin', owner.userId)).code).toBe(0);
    const listed = await admin('take-admin', ADMIN_EMAIL);
    expect([listed.code, listed.err]).toEqual([1, expect.stringMatching(/^ADMIN_EMAILS .*\n$/)]);
    const last = await curtail(dataDir, ['admin', 'take-admin', ADMIN_EMAIL]);
    expect([last.code, last.err]).toEqual([1, expect.stringMatching(/last admin.*\n$/)]);
    const { email } = await anAccount(service);
    const unverified = await admin('make-admin', email);
    expect([unverified.code, unverified.err]).toEqual([1, expect.stringContaining('verified')]);
  });

  it.each([
    [['eat'], 2],
    [['block', 'abc'], 2],
    [['block', 'no-such-link', '--reason', 'x'], 1],
    [['--help'], 0],
  ])('exits for %j with the code %d', async (args, code) => {
    const { code: found, err } = await admin(...args);
    expect([args, found]).toEqual([args, code]);
    if (code === 1) expect(err).toMatch(/^[^\n]+\n$/);
  });

  it('also works while the service is stopped, and prints no control characters', async () => {
    const { id } = await aLink();
    await service.kill('SIGTERM');
    const reason = 'Looks \u001b[31mred\u001b[0m\u202e';
    const blocked = await admin('block', id, '--reason', reason);
    expect(blocked.code).toBe(0);
    expect(blocked.out).not.toMatch(/[\u001b\u202e]/);
    expect(blocked.out).toContain('BLOCKED');
  });
});
