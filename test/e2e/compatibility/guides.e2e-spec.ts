import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aKey, aVerifiedAccount } from '../../support/factories/accounts';
import { bearer } from '../../support/http';
import { eventually, type Service, startService } from '../../support/service';

const ROOT = join(__dirname, '../../..');
const run = promisify(execFile);

/** Returns the code blocks of a document. */
function blocksOf(document: string, language: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', document), 'utf8');
  const fence = new RegExp(`^ *\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm');
  return [...text.matchAll(fence)].map(([, block = '']) => block.replace(/^ {3}/gm, ''));
}

describe('The guides for users of other shorteners', () => {
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    // The dumps have fixed aliases.
    service = await startService({ own: true });
    folder = mkdtempSync(join(tmpdir(), 'curtail-guide-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await service.stop();
  });

  it.each([
    ['from-yourls.md', 'yourls-mysqldump.sql', /"total_links":[1-9]/],
    ['from-kutt.md', 'kutt-sqlite.sql', /"total":[1-9]/],
  ])('%s describes the way from a dump to a working API', async (guide, dump, expected) => {
    const key = await aKey(service, await aVerifiedAccount(service), [
      ...(['urls:manage', 'urls:read', 'shorten:create'] as const),
    ]);
    const [settings, dumping, check = '', start = '', attempt = '', ...rest] = blocksOf(
      guide,
      'sh',
    );
    expect(settings).toBe('URL=https://go.example.com\nKEY=svc_…\n');
    expect(dumping).toContain('links.sql');
    expect(rest).toEqual([]);
    copyFileSync(join(ROOT, 'test/fixtures/dumps', dump), join(folder, 'links.sql'));
    const paste = async (commands: string, id = ''): Promise<string> => {
      const script = `URL=${service.url}\nKEY=${key}\nID=${id}\n${commands}\necho " ID=$ID"`;
      return (await run('bash', ['-ec', script], { cwd: folder })).stdout;
    };
    const [, id = ''] = / ID=([0-9a-f]{24})$/m.exec(await paste(check)) ?? [];
    const done = (isDryRun: boolean): Promise<void> =>
      eventually('the import is done', async () => {
        const answer = await fetch(`${service.url}/api/v1/imports/${id}`, { headers: bearer(key) });
        const now = (await answer.json()) as { state: string; dry_run: boolean };
        return now.state === 'done' && now.dry_run === isDryRun;
      });
    await done(true);
    await paste(start, id);
    await done(false);
    expect(await paste(attempt)).toMatch(expected);
  });

  it('clients.md contains a file for ShareX', async () => {
    const key = await aKey(service, await aVerifiedAccount(service), ['shorten:create']);
    const [file = ''] = blocksOf('clients.md', 'json');
    const uploader = JSON.parse(file) as Record<string, string> & { Headers: object };
    const fill = (text: string) =>
      text.replace('https://go.example.com', service.url).replace('svc_…', key);
    const address = 'https://example.com/"sale"?a=1';
    const answer = await fetch(fill(uploader.RequestURL ?? ''), {
      method: uploader.RequestMethod,
      headers: {
        ...(JSON.parse(fill(JSON.stringify(uploader.Headers))) as object),
        'Content-Type': 'application/json',
      },
      // ShareX escapes the input for JSON.
      body: uploader.Data?.replace('{input}', JSON.stringify(address).slice(1, -1)),
    });
    const body = (await answer.json()) as Record<string, string>;
    const [, name = ''] = /^\{json:(\w+)\}$/.exec(uploader.URL ?? '') ?? [];
    expect([answer.status, body.long_url]).toEqual([201, address]);
    expect(body[name]).toMatch(/^http:\/\/localhost:\d+\/\w{7}$/);
  });
});
