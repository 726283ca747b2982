import JSZip from 'jszip';
import request from 'supertest';
import { aClick } from '../../support/shared/click.factory';
import { StatisticsWorld } from '../../support/statistics/statistics-world';
import { anAddress, inBytes, visit } from '../../support/http';
import { getPath, postForm } from '../../support/legacy-requests';
import { statisticsPids } from '../../support/processes';
import { startService } from '../../support/service';

// Uses more values than a function call can spread, and enough clicks for a large link.
const VALUES = 130_000;
const BATCH = 10_000;
const EXTRA = 3;

const P = '/api/v1/public/stats';

let world: StatisticsWorld;
let small: string;

beforeAll(async () => {
  // A test below stops the statistics process.
  world = await StatisticsWorld.of(await startService({ own: true }));
  small = await world.link({ total_clicks: 1 });
  await world.record(small, [aClick({ at: Date.now() - 1000 })]);
  const id = await world.link({ alias: 'many', created_at: new Date(Date.now() - 60_000) });
  const at = Date.now() - 30_000;
  for (let from = 0; from < VALUES; from += BATCH) {
    const clicks = Array.from({ length: BATCH }, (_, i) =>
      aClick({
        at,
        // Clicks come in adjacent pairs, each from one visitor.
        visitor: (1 + ((from + i) >> 1)).toString(16).padStart(24, '0'),
        referrer: `https://r${from + i}.example`,
      }),
    );
    await world.record(id, clicks);
  }
  const again = Array.from({ length: EXTRA }, () =>
    aClick({ at, visitor: 'f'.repeat(24), referrer: `https://r${VALUES - 1}.example` }),
  );
  await world.record(id, again);
});
afterAll(() => world.close());

async function bytesOf(format: string): Promise<Buffer> {
  const answer = await inBytes(getPath(world.service, `/export/many/${format}`));
  expect(answer.status).toBe(200);
  return answer.body as Buffer;
}

describe('A link with very many referrers', () => {
  it('has a page with the most frequent referrers and the sum of the rest', async () => {
    const { status, text } = await getPath(world.service, '/stats/many');
    expect(status).toBe(200);
    expect(text).toContain(`r${VALUES - 1}.example`);
    expect(text).toContain('and 129,990 more with 129,990 clicks');
  });

  it('has an object with the 1000 most frequent values in each list, and (other) for the rest', async () => {
    const { status, body, text } = await postForm(world.service, '/stats/many');
    expect(status).toBe(200);
    const { referrer, unique_referrer } = body as Record<string, Record<string, number>>;
    expect(Object.keys(referrer!)).toHaveLength(1001);
    expect(Object.entries(referrer!)[0]).toEqual([`https://r${VALUES - 1}_example`, 1 + EXTRA]);
    expect(referrer!['(other)']).toBe(VALUES - 1000);
    expect(Object.keys(unique_referrer!)).toEqual(Object.keys(referrer!));
    expect(unique_referrer!['(other)']).toBe(VALUES - 1000);
    expect(Object.values(referrer!).reduce((a, b) => a + b)).toBe(body['total-clicks']);
    expect(body['total-clicks']).toBe(VALUES + EXTRA);
    expect(body.total_unique_clicks).toBe(VALUES / 2 + 1);
    expect(text.length).toBeLessThan(200_000);
  });

  it('has files with all rows', async () => {
    const parsed = JSON.parse((await bytesOf('json')).toString()) as {
      referrer: Record<string, number>;
      unique_referrer: Record<string, number>;
    };
    expect(Object.keys(parsed.referrer)).toHaveLength(VALUES);
    expect(Object.keys(parsed.unique_referrer)).toHaveLength(VALUES);
    expect(parsed.referrer['(other)']).toBeUndefined();
    const zip = await JSZip.loadAsync(await bytesOf('csv'));
    const csv = await zip.file('referrer.csv')!.async('string');
    expect(csv.split('\r\n')).toHaveLength(VALUES + 2);
    expect(csv.startsWith(`Referrer,Count\r\n"https://r${VALUES - 1}_example",4\r\n`)).toBe(true);
    const xml = (await bytesOf('xml')).toString();
    expect(xml.split('<key name="https://')).toHaveLength(2 * VALUES + 1);
  });

  it('has a workbook with all rows', async () => {
    const zip = await JSZip.loadAsync(await bytesOf('xlsx'));
    const sheets = await zip.file('xl/workbook.xml')!.async('string');
    const number = sheets.split('<sheet ').findIndex((sheet) => sheet.includes('"Referrer"'));
    const sheet = await zip.file(`xl/worksheets/sheet${number}.xml`)!.async('string');
    expect(sheet.split('<row ')).toHaveLength(VALUES + 2);
  });

  it('does not delay redirects or the statistics of other links during a query', async () => {
    const address = anAddress();
    const events: string[] = [];
    const pid = statisticsPids(world.service)[0]!;
    // All queries are waiting before the first is counted.
    process.kill(pid, 'SIGSTOP');
    // Uses distinct queries, so that no result is cached.
    const heavy = Array.from({ length: 18 }, (_, i) =>
      request(world.service.url)
        .get(`${P}/many`)
        .query({ start_date: 1_700_000_000 + i })
        .set('X-Forwarded-For', address)
        .then((answer) => {
          if (answer.status === 200) events.push('heavy');
          return answer;
        }),
    );
    const other = world
      .get(`${P}/${small}`)
      .then((answer) => events.push(`small ${answer.status}`));
    try {
      // Gives the web process time to pass on the queries.
      for (let i = 0; i < 50; i += 1) {
        expect((await visit(world.service, small)).status).toBe(302);
      }
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const answers = await Promise.all(heavy);
    await other;
    expect(events.at(-1)).toBe('heavy');
    expect(events).toContain('small 200');
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(503);
      expect(body).toEqual({ error: expect.any(String) as string, code: 'internal_error' });
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
  });
});
