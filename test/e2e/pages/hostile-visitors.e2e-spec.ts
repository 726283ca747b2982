import JSZip from 'jszip';
import { Workbook } from 'exceljs';
import http from 'node:http';
import type { Connection } from 'mongoose';
import { ClickStore } from '../../../src/clicks/store/click-store';
import { clickBatchEntry } from '../../../src/clicks/store/click-batch';
import { ClickStoreRepository } from '../../../src/clicks/store/click-store.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { aClick } from '../../support/shared/click.factory';
import { anAddress, inBytes } from '../../support/http';
import { clicksCounted, startWithDatabase } from '../../support/database';
import { expectClean, FORMULA, HOSTILE, SCRIPT } from '../../support/hostile-texts';
import type { Service } from '../../support/service';
import { aV0Link, getPath, postForm } from '../../support/legacy-requests';

describe('untrusted input', () => {
  let service: Service;
  let database: Connection;
  let stop: () => Promise<void>;

  beforeAll(async () => ({ service, database, stop } = await startWithDatabase()));
  afterAll(() => stop());

  describe('from visitors', () => {
    let code: string;

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
      await clicksCounted(database, code, visits.length);
      // Stored without enrichment, because output must not trust stored data.
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
      const entries = [clickBatchEntry(String(link?._id), planted)];
      const store = new ClickStore(
        new ClickStoreRepository(database),
        new LinksRepository(database),
      );
      await store.record({ node: 'a1b2c3d4', number: 1, entries });
      await clicksCounted(database, code, visits.length + HOSTILE.length);
    });

    it('stays text on the statistics page', async () => {
      const page = await getPath(service, `/stats/${code}?audience=all`);
      expect(page.status).toBe(200);
      expectClean(page);
      expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(page.text).toContain('%E2%80%AEgpj.exe');
    });

    it('stays text in JSON, and every label is a separate key', async () => {
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

    it('is not a formula in CSV and XLSX files, and not markup in XML', async () => {
      const file = async (format: string): Promise<Buffer> => {
        const answer = await inBytes(
          getPath(service, `/export/${code}/${format}`, { accept: null }),
        );
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
            if (typeof value === 'string') expect(value).not.toMatch(/^[=+\-@\p{Cc}]/u);
          }),
        );
      }
      const xml = (await file('xml')).toString();
      expect(xml).not.toMatch(/<script|<img/);
      expect(xml).not.toContain('\u0000');
    });
  });
});
