import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { anAddress, bearer, shorten, visit } from '../../support/http';
import { aVerifiedAccount } from '../../support/factories/accounts';
import { aLink } from '../../support/factories/links';
import { type Service, startService } from '../../support/service';
import { postForm } from '../../support/legacy-requests';

const SLOW = `https://slow.test/${'a'.repeat(60)}!`;
const SPELLINGS = [
  'https://evil.com/',
  'https://EVIL%2Ecom/x',
  'https://%65vil.com/x',
  'https://ｅｖｉｌ.com/x',
  'https://evil。com/x',
  'https://ev\u00adil.com/x',
  'https://user@evil.com/x',
  'https://evil.com./x',
  'https://xn--mnchen-3ya.de/',
  'https://münchen.de:443/',
];

describe('BLOCKED_URLS_FILE', () => {
  let folder: string;
  let service: Service;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-list-'));
    const list = join(folder, 'blocked.txt');
    writeFileSync(
      list,
      ['# hosts', '^https?://([^/]*\\.)?evil\\.com/', 'münchen\\.de', 'slow.test/(a+)+$'].join(
        '\n',
      ),
    );
    service = await startService({ env: { BLOCKED_URLS_FILE: list } });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(SPELLINGS)('rejects every spelling on every route: %s', async (url) => {
    const created = await shorten(service, { long_url: url });
    expect([created.status, created.body.field]).toEqual([400, 'long_url']);
    const form = await postForm(service, '/', { url });
    expect([form.status, form.body]).toEqual([403, { BlockedUrlError: expect.any(String) }]);
    const emoji = await postForm(service, '/emoji', { url });
    expect([emoji.status, emoji.body]).toEqual([403, { UrlError: expect.any(String) }]);
  });

  it('also rejects blocked destinations when an owner changes a link', async () => {
    const owner = await aVerifiedAccount(service);
    const made = await shorten(service, { long_url: 'https://good.test/' }).set(
      bearer(owner.accessToken),
    );
    for (const long_url of SPELLINGS) {
      const answer = await request(service.url)
        .patch(`/api/v1/urls/${made.body.id as string}`)
        .set(bearer(owner.accessToken))
        .send({ long_url });
      expect([long_url, answer.status, answer.body.field]).toEqual([long_url, 400, 'long_url']);
    }
  });

  it('does not change the spelling of allowed destinations', async () => {
    for (const long_url of ['HTTPS://Bücher.example', 'https://u@good.test./%61?q=%62#x']) {
      expect((await aLink(service, { long_url })).long_url).toBe(long_url);
    }
  });

  it('rejects destinations that cannot be checked in time, while redirects continue', async () => {
    const { alias } = await aLink(service);
    const order: string[] = [];
    const address = anAddress();
    const slow = Array.from({ length: 5 }, async () => {
      const { status } = await shorten(service, { long_url: SLOW }, address);
      order.push(`slow ${status}`);
    });
    const visits = Array.from({ length: 5 }, async () => {
      const { status } = await visit(service, alias);
      order.push(`visit ${status}`);
    });
    await Promise.all([...slow, ...visits]);
    expect(order.filter((entry) => entry === 'slow 400')).toHaveLength(5);
    expect(order.filter((entry) => entry === 'visit 302')).toHaveLength(5);
    expect(order.at(-1)).toBe('slow 400');
    const blocked = await postForm(service, '/', { url: SLOW });
    expect([blocked.status, Object.keys(blocked.body as object)]).toEqual([
      403,
      ['BlockedUrlError'],
    ]);
    const warnings = service
      .log()
      .split('\n')
      .filter((line) => line.includes('is too slow'));
    expect(warnings).toEqual([expect.stringContaining('slow.test/(a+)+$')]);
  });

  it('rejects destinations immediately when its queue is full, and checks again afterwards', async () => {
    const answers = await Promise.all(
      Array.from({ length: 150 }, () => shorten(service, { long_url: SLOW })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect((await shorten(service, { long_url: 'https://good.test/' })).status).toBe(201);
  });
});
