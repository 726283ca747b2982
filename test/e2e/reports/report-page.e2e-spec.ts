import type { Connection } from 'mongoose';
import request from 'supertest';
import { getPage, sendForm } from '../../support/account-pages';
import type { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { startWithDomain } from '../../support/factories/domains';
import { aLink } from '../../support/factories/links';
import { reportsOf } from '../../support/factories/reports';
import { expectClean, PLANTED, QUOTES, SCRIPT } from '../../support/hostile-texts';
import { anAddress, post, visit } from '../../support/http';
import { aV0Link } from '../../support/legacy-requests';
import type { Service } from '../../support/service';

const DOMAIN = 'reported.example.net';

describe('The page that reports a link', () => {
  let service: Service;
  let database: Connection;
  let client: ApiClient;

  beforeAll(async () => {
    ({ service, client } = await startWithDomain(DOMAIN));
    database = await databaseOf(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    sendForm(service, '/report', fields, headers);
  const alertOf = ({ text }: request.Response) =>
    /role="alert"\s*>\s*([^<]*)/.exec(text)?.[1]?.trim();
  const reportLinks = ({ text }: request.Response) =>
    [...text.matchAll(/<a href="([^"]*)" rel="nofollow">Report this link</g)].map(
      ([, href]) => href,
    );
  const to = (address: string) => `/report?url=${encodeURIComponent(address)}`;

  it('is a form that asks for the link, or already contains it', async () => {
    const empty = await getPage(service, '/report');
    expect([empty.status, empty.type]).toEqual([200, 'text/html']);
    expect(empty.headers['cache-control']).toBe('no-store');
    expect(empty.headers['x-ratelimit-limit']).toBeUndefined();
    expect(empty.text).toContain('content="noindex"');
    expect(empty.text).toContain('<form method="post" action="/report">');
    expect(empty.text).not.toContain('<script');
    const filled = await getPage(
      service,
      `/report?url=${encodeURIComponent('https://go.test/abc')}`,
    );
    expect(filled.text).toContain('value="https://go.test/abc"');
    for (const query of ['?url=a&url=b', `?url=${'a'.repeat(2049)}`, '?url[x]=a']) {
      const answer = await getPage(service, `/report${query}`);
      expect([query, answer.status]).toEqual([query, 200]);
      expect(answer.text).not.toContain('value="a');
    }
  });

  it('shows a confirmation of a report, which is stored', async () => {
    const { id, alias, short_url } = await aLink(service);
    const details = `${'line\r\n'.repeat(300)}end`;
    const answer = await send({
      ...{ url: `${short_url}+`, reason: 'malware', details, email: 'Eve@example.com' },
    });
    expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, '5']);
    expect(answer.text).toContain('<h1>Thank you</h1>');
    expect((await send({ url: alias, reason: 'other', details: '', email: '' })).status).toBe(200);
    const [open] = await reportsOf(database, id);
    expect(open).toMatchObject({ count: 2, reasons: { malware: 1, other: 1 } });
    expect(open?.entries).toEqual([
      {
        at: expect.any(Date) as Date,
        reason: 'malware',
        details: details.replace(/\r/g, ''),
        email: 'eve@example.com',
      },
      { at: expect.any(Date) as Date, reason: 'other' },
    ]);
  });

  it('recognises a signed-in visitor, and stores the account with the report', async () => {
    const { id, alias } = await aLink(service);
    const { cookies, email, userId } = client.account;
    expect((await getPage(service, '/report', { Cookie: cookies })).text).toContain(email);
    const answer = await send({ url: alias, reason: 'spam' }, { Cookie: cookies });
    expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, '30']);
    const [open] = await reportsOf(database, id);
    expect(open?.entries.map(({ account }) => String(account))).toEqual([userId]);
  });

  it.each([
    [{}, 422, 'Enter a short link of this service, or its alias.'],
    [{ url: ' ', reason: 'spam' }, 422, 'Enter a short link of this service, or its alias.'],
    [{ url: 'https://evil.test/a', reason: 'spam' }, 422, 'Enter a short link of this service, or'],
    [{ url: 'nobody-has', reason: 'spam' }, 404, 'There is no link with this address.'],
    [{ url: 'abc', reason: '' }, 422, 'Choose a reason.'],
    [{ url: 'abc', reason: 'ugly' }, 422, 'Choose a reason.'],
    [{ url: 'abc', reason: 'spam', details: 'x'.repeat(2001) }, 422, 'At most 2000 characters.'],
    [{ url: 'abc', reason: 'spam', email: 'nobody' }, 422, 'Enter a complete email address'],
  ])('is shown again for %j', async (fields, status, problem) => {
    const answer = await send(fields);
    expect(answer.status).toBe(status);
    expect(answer.headers['x-error-code']).toBe(status === 404 ? 'not_found' : 'validation_error');
    expect(alertOf(answer)).toContain(problem);
    expect(answer.text).toContain('<title>Problem: Report a link');
    if ('url' in fields) expect(answer.text).toContain(`value="${fields.url}"`);
    if ('details' in fields) expect(answer.text).toContain(`\n${fields.details}</textarea`);
    const json = await send(fields, { Accept: 'application/json' });
    expect([json.status, json.type]).toEqual([status, 'application/json']);
  });

  it('keeps the input if a report exceeds the limit', async () => {
    const address = { 'X-Forwarded-For': anAddress() };
    const fields = { url: 'none-such', reason: 'phishing', details: 'Long & <i>careful</i> text' };
    for (let i = 0; i < 3; i++) expect((await send(fields, address)).status).toBe(404);
    for (let i = 0; i < 2; i++) {
      const body = { items: [{ code_or_url: 'none-such', reason: 'spam' }] };
      expect((await post(service, '/api/v1/reports', body).set(address)).status).toBe(200);
    }
    const answer = await send(fields, address);
    expect(answer.status).toBe(429);
    expect(alertOf(answer)).toContain('Too many requests');
    expect(answer.text).toContain('Long &amp; &lt;i&gt;careful&lt;/i&gt; text</textarea');
    expect(answer.text).toMatch(/<option value="phishing" selected>/);
  });

  it('accepts only forms from this site', async () => {
    const { id, alias } = await aLink(service);
    const answer = await send({ url: alias, reason: 'spam' }, { Origin: 'https://evil.test' });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'forbidden']);
    expect(await reportsOf(database, id)).toEqual([]);
  });

  it.each([SCRIPT, QUOTES, '</textarea><b>', '"><b>', '\u202egpj'])(
    'shows %j as plain text',
    async (text) => {
      expectClean(await getPage(service, `/report?url=${encodeURIComponent('<b>"')}`));
      const fields = { url: text, reason: text, details: text, email: text };
      const answer = await send(fields);
      expect(answer.status).toBe(422);
      expect(answer.text.replace(/\u202e/g, '')).not.toMatch(PLANTED);
      expect(answer.text).not.toContain('"\'><');
    },
  );

  it('is linked from previews and from 404 and 410 pages', async () => {
    const { alias, short_url } = await aLink(service);
    const base = `http://localhost:${service.port}`;
    expect(reportLinks(await getPage(service, `/${alias}+`))).toEqual([to(short_url)]);
    const closed = await aV0Link(service, { 'max-clicks': '1' });
    await visit(service, closed);
    for (const path of [`/${closed}`, `/${closed}+`, '/nobody', '/nobody+', '/a/b']) {
      const answer = await getPage(service, `${path}?password=secret`);
      expect([404, 410]).toContain(answer.status);
      expect(reportLinks(answer)).toEqual([to(base + path)]);
    }
    const hostile = '/nobody%0d%0aBcc:x@y.test&url=z';
    expect(reportLinks(await getPage(service, hostile))).toEqual([to(base + hostile)]);
    expect(reportLinks(await getPage(service, '/result/nobody'))).toEqual(['/report']);
    expect(reportLinks(await getPage(service, '/'))).toEqual([]);
    expect((await getPage(service, '/report/abc')).status).toBe(404);
  });

  it("is linked from custom domains, with the link's address there", async () => {
    const { id, alias } = await client.aLink({ domain: DOMAIN });
    const Host = `${DOMAIN}:${service.port}`;
    const base = `http://localhost:${service.port}`;
    for (const path of [`/${alias}+`, '/nobody', '/report']) {
      const [link = ''] = reportLinks(await getPage(service, path, { Host }));
      expect(link.startsWith(`${base}/report?url=`)).toBe(true);
      const url = new URL(link).searchParams.get('url') ?? '';
      const answer = await send({ url, reason: 'spam' });
      expect([path, answer.status]).toEqual([path, path.startsWith(`/${alias}`) ? 200 : 404]);
    }
    expect(await reportsOf(database, id)).toHaveLength(1);
  });
});
