import JSZip from 'jszip';
import { Workbook } from 'exceljs';
import http from 'node:http';
import type { Connection } from 'mongoose';
import request from 'supertest';
import { Ledger } from '../../src/analytics/ledger/ledger';
import { ledgerEntry } from '../../src/analytics/ledger/ledger-entry';
import { LedgerRepository } from '../../src/analytics/ledger/ledger.repository';
import { LinkTotalsRepository } from '../../src/analytics/ledger/link-totals.repository';
import { aClick } from '../analytics/click.factory';
import { aLink, anAddress, visit } from '../support/client';
import { databaseOf } from '../support/database';
import { eventually, startService, type Service } from '../support/service';
import { aV0Link, getPath, postForm } from '../support/v0';

const SCRIPT = '<script>alert(1)</script>';
const QUOTES = `"'><img src=x onerror=alert(1)>`;
const FORMULA = "=cmd|'/c calc'!A1";
const BACKWARDS = '\u202egpj.exe';
const LINES = 'a\r\nSet-Cookie: evil=1\r\n\r\n<b>';

const HOSTILE = [SCRIPT, QUOTES, FORMULA, BACKWARDS, LINES, '__proto__', '@SUM(1)', '-1+1'];

/** Markup that only a planted text could have brought into a page. */
const PLANTED = /<script|<img|<b>|onerror=(?!alert\(1\)&gt;)|\u202e|\u2028|\u0000/i;

describe('what strangers type', () => {
  let service: Service;
  let database: Connection;

  beforeAll(async () => {
    service = await startService();
    database = await databaseOf(service);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
  });

  const clicks = (alias: string, count: number) =>
    eventually('the clicks are counted', async () => {
      const link = await database.collection('links').findOne({ alias });
      return link?.total_clicks === count;
    });

  function expectClean(answer: request.Response): void {
    expect(answer.text).not.toMatch(PLANTED);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['content-security-policy']).toContain("default-src 'self'");
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  }

  describe('in a form comes back escaped', () => {
    it.each([
      ['url', SCRIPT],
      ['url', QUOTES],
      ['url', `https://example.com/${LINES}`],
      ['alias', SCRIPT],
      ['alias', QUOTES],
      ['alias', BACKWARDS],
      ['alias', LINES],
      ['max-clicks', QUOTES],
      ['password', `${QUOTES}1@`],
    ])('%s = %j', async (field, text) => {
      const fields = { url: 'https://example.com/', [field]: text };
      const page = await postForm(service, '/', fields, { accept: 'text/html' });
      expect([400, 302]).toContain(page.status);
      if (page.status === 400) {
        expect(page.text.replace(/\u202e/g, '')).not.toMatch(PLANTED);
        expect(page.text).not.toContain('"\'><');
      }
      expect(page.headers['set-cookie']).toBeUndefined();
      const json = await postForm(service, '/', fields);
      expect(json.headers['content-type']).toContain('application/json');
      expect(JSON.parse(json.text)).toEqual(json.body);
    });

    it('in the form of /stats, whose target stays on this site', async () => {
      for (const short_code of [
        SCRIPT,
        QUOTES,
        LINES,
        BACKWARDS,
        '//evil.example\\x',
        '..',
        '\\',
      ]) {
        const answer = await postForm(service, '/stats', { short_code }, { accept: 'text/html' });
        expect([302, 400]).toContain(answer.status);
        if (answer.status === 302) expect(answer.headers.location).toMatch(/^\/stats\/[!-~]*$/);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    });
  });

  it('in a path is answered by a page that does not repeat it', async () => {
    for (const text of [SCRIPT, QUOTES, BACKWARDS, LINES, '{{7*7}}', '%00']) {
      const code = encodeURIComponent(text);
      for (const path of [
        `/${code}`,
        `/${code}+`,
        `/result/${code}`,
        `/stats/${code}`,
        `/export/${code}/csv`,
        `/export/nobody/${code}`,
        `/stats/${code}/${code}`,
      ]) {
        const answer = await getPath(service, path);
        expect([400, 404]).toContain(answer.status);
        expectClean(answer);
      }
    }
  });

  it('as header or query is answered without an echo', async () => {
    const headers = { 'X-Request-ID': SCRIPT, Referer: QUOTES, 'User-Agent': SCRIPT };
    for (const path of ['/', '/stats', '/nobody', '/nobody+']) {
      const answer = await getPath(service, path, {
        headers,
        query: { url: SCRIPT, alias: QUOTES, password: SCRIPT, next: '//evil.example' },
      });
      expectClean(answer);
      expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{12}$/);
    }
  });

  it('as destination is shown escaped, with direction marks made visible', async () => {
    const long_url = `https://example.com/?a=<script>alert(1)</script>&b="'>${BACKWARDS}`;
    const { alias } = await aLink(service, { long_url });
    for (const path of [`/${alias}+`, `/stats/${alias}`]) {
      const page = await getPath(service, path);
      expect(page.status).toBe(200);
      expectClean(page);
      expect(page.text).toContain(
        '&lt;script&gt;alert(1)&lt;/script&gt;&amp;b=&quot;&#39;&gt;%E2%80%AE',
      );
    }
    const stats = await postForm(service, `/stats/${alias}`);
    expect(stats.body.url).toBe(long_url);
    const redirect = await visit(service, alias);
    expect(redirect.headers.location).toMatch(/^[!-~]+$/);
  });

  it('as a javascript: or data: destination is refused', async () => {
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,<script>',
      ' https://x.test',
      '\thttps://x',
    ]) {
      expect((await postForm(service, '/', { url })).body).toHaveProperty('UrlError');
    }
  });

  it('a password never comes back, whatever it is', async () => {
    const password = `<b>Secret1@"'`;
    const code = await aV0Link(service, { password });
    const wrong = await getPath(service, `/stats/${code}`, { query: { password: `${password}!` } });
    expect(wrong.status).toBe(400);
    expectClean(wrong);
    expect(wrong.text).not.toContain('Secret1');
    const right = await postForm(service, `/stats/${code}`, { password }, { accept: 'text/html' });
    expect(right.status).toBe(200);
    expect(right.text).not.toContain('Secret1');
    expect(service.log()).not.toContain('Secret1');
  });

  describe('by visitors', () => {
    let code: string;

    /** Sends headers as bytes, as no browser would. */
    const rawVisit = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const path = `/${code}?utm_source=${encodeURIComponent(SCRIPT)}`;
        const sent = { 'X-Forwarded-For': anAddress(), ...headers };
        http
          .get({ port: service.port, path, headers: sent }, (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
          })
          .on('error', reject);
      });

    beforeAll(async () => {
      code = await aV0Link(service, {
        url: `https://example.com/?=${FORMULA.replaceAll(' ', '')}`,
      });
      const visits: Record<string, string>[] = [
        { Referer: 'https://<script>alert(1)</script>/', 'User-Agent': SCRIPT },
        { Referer: `https://"'><img.example/x` },
        { Referer: FORMULA, 'User-Agent': FORMULA },
        { 'User-Agent': '__proto__ bot', Referer: 'https://__proto__/' },
        { 'User-Agent': 'spider\u00ff\u00fe<img src=x>' },
      ];
      for (const headers of visits) expect(await rawVisit(headers)).toBe(302);
      await clicks(code, visits.length);
      // What enriching makes harmless today is planted behind it: outputs trust nothing stored.
      const link = await database.collection('links').findOne({ alias: code });
      const planted = HOSTILE.map((text) =>
        aClick({
          at: Date.now(),
          browser: text,
          os: text,
          country: text,
          referrer: text,
          botName: text,
        }),
      );
      const entries = [ledgerEntry(String(link?._id), planted)];
      const ledger = new Ledger(new LedgerRepository(database), new LinkTotalsRepository(database));
      await ledger.record({ node: 'a1b2c3d4', number: 1, entries });
      await clicks(code, visits.length + HOSTILE.length);
    });

    it('stays text on the statistics page', async () => {
      const page = await getPath(service, `/stats/${code}`);
      expect(page.status).toBe(200);
      expectClean(page);
      expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(page.text).toContain('%E2%80%AEgpj.exe');
    });

    it('stays text in JSON, with every label a key of its own', async () => {
      const { body, text } = await postForm(service, `/stats/${code}`);
      expect(JSON.parse(text)).toEqual(body);
      const sum = (counts: Record<string, number>): number =>
        Object.values(counts).reduce((a, b) => a + b, 0);
      for (const key of ['browser', 'os_name', 'country', 'referrer']) {
        expect(sum(body[key] as Record<string, number>)).toBe(5 + HOSTILE.length);
        for (const text of HOSTILE) {
          const label = key === 'referrer' ? text.replaceAll('.', '_') : text;
          expect(Object.hasOwn(body[key] as object, label)).toBe(true);
        }
      }
    });

    it('is no formula in CSV and XLSX, and no markup in XML', async () => {
      const file = async (format: string): Promise<Buffer> => {
        const answer = await request(service.url)
          .get(`/export/${code}/${format}`)
          .set('X-Forwarded-For', anAddress())
          .buffer(true)
          .parse((response, done) => {
            const pieces: Buffer[] = [];
            response.on('data', (piece: Buffer) => pieces.push(piece));
            response.on('end', () => done(null, Buffer.concat(pieces)));
          });
        expect(answer.status).toBe(200);
        return answer.body as Buffer;
      };
      const zip = await JSZip.loadAsync(await file('csv'));
      for (const name of Object.keys(zip.files)) {
        const text = await zip.file(name)!.async('string');
        expect(text).not.toMatch(/(?:^|,|\r\n|")[=+@-](?!\d)/);
      }
      const workbook = new Workbook();
      await workbook.xlsx.load((await file('xlsx')) as never);
      for (const sheet of workbook.worksheets) {
        sheet.eachRow((row) =>
          row.eachCell(({ value, formula }) => {
            expect(formula).toBeUndefined();
            if (typeof value === 'string') expect(value).not.toMatch(/^[=+\-@\u0000-\u001f]/);
          }),
        );
      }
      const xml = (await file('xml')).toString();
      expect(xml).not.toMatch(/<script|<img/);
      expect(xml).not.toContain('\u0000');
    });
  });

  it('cannot make two links look alike by invisible marks in a code', async () => {
    const code = await aV0Link(service);
    for (const mark of ['\u200b', '\u202e', '\u00ad', '\ufe0e', '\u2060']) {
      const path = `/${encodeURIComponent(`${code}${mark}`)}`;
      expect((await getPath(service, path)).status).toBe(404);
      expect((await getPath(service, `/stats${path}`)).status).toBe(404);
    }
  });
});
