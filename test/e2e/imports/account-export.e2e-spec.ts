import request from 'supertest';
import type { Click } from '../../../src/engines/click-engine/chunk/click';
import { aClick, NOTHING_KNOWN } from '../../support/shared/click.factory';
import { anAccountExport, type ExportedItem } from '../../support/account-export';
import { ApiClient } from '../../support/api-client';
import { SeededRandom } from '../../support/fuzz/seeded-random';
import { anAddress, bearer, visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { eventually, type Service, startService } from '../../support/service';
import { StatisticsWorld } from '../../support/statistics/statistics-world';

const DAY = 86_400_000;
const QUESTIONS = 50;
const PATIENCE = 240_000;

describe('the export of an account', () => {
  let world: StatisticsWorld;
  let fresh: Service;
  let before: ApiClient;
  let after: ApiClient;
  const random = new SeededRandom(22);

  beforeAll(async () => {
    const rows = ['imports.create', 'imports.read', 'stats.account', 'links.read'];
    const env = { LIMITS_FILE: limitsFile(Object.fromEntries(rows.map((row) => [row, 'off']))) };
    world = await StatisticsWorld.open(env);
    fresh = await startService({ env });
    before = await ApiClient.on(world.service);
    after = await ApiClient.on(fresh);
  }, PATIENCE);
  afterAll(async () => {
    await world.close();
    await fresh.stop();
  });

  function someClicks(count: number): Click[] {
    const now = Date.now();
    return Array.from({ length: count }, () =>
      aClick({
        ...(random.below(5) === 0 && NOTHING_KNOWN),
        at: now - 60_000 - random.below(200 * DAY),
        visitor: (1 + random.below(40)).toString(16).padStart(24, 'a'),
        browser: random.of(['Chrome', 'Firefox', 'Mobile Safari', null]),
        os: random.of(['Windows', 'iOS', null]),
        device: random.of(['desktop', 'mobile', 'unknown'] as const),
        referrer: random.of([null, 'https://t.co', 'https://news.example.com']),
        utmSource: random.of([null, 'mail', 'Größe']),
        utmCampaign: random.of([null, 'spring']),
        botName: random.of([null, null, null, 'Googlebot']),
        redirectMs: random.below(300),
      }),
    );
  }

  async function imported(file: Buffer): Promise<Record<string, unknown>> {
    const { status, body } = await request(fresh.url)
      .post('/api/v1/imports')
      .set({ 'X-Forwarded-For': anAddress(), ...bearer(after.account.accessToken) })
      .field('source', 'curtail')
      .field('options', '{"dry_run":false}')
      .attach('file', file, 'curtail-account.zip');
    expect(status).toBe(202);
    let now: Record<string, unknown> = {};
    await eventually(async () => {
      now = (await after.call('get', `/api/v1/imports/${(body as { id: string }).id}`)).body;
      return ['done', 'failed'].includes(String(now.state));
    });
    return now;
  }

  function aQuestion(aliases: readonly string[]): Record<string, string> {
    const [from, to] = [random.below(150), 1 + random.below(40)];
    const day = (ago: number): string =>
      new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);
    const grouped = ['time', 'browser', 'os', 'device', 'country', 'city', 'referrer'];
    const more = ['utm_source', 'utm_campaign', 'short_code', 'audience'];
    const groups = [...grouped, ...more].filter(() => random.below(3) === 0);
    return {
      scope: 'all',
      start_date: day(41 + from),
      end_date: day(to),
      group_by: groups.join(',') || 'time',
      audience: random.of(['all', 'human', 'bot']),
      timezone: random.of(['UTC', 'Europe/Berlin', 'Asia/Tokyo']),
      ...(random.below(3) === 0 && { browser: 'Firefox' }),
      ...(random.below(4) === 0 && { country: 'Germany' }),
      ...(random.below(4) === 0 && { short_code: random.of(aliases) }),
    };
  }

  it(
    'restores links and clicks in an empty service, where queries have the same results',
    async () => {
      const far = Math.floor(Date.now() / 1000) + 1_000_000;
      const made = [
        await before.aLink({
          ...{ alias: 'ex-one', title: 'One', note: 'A\nnote', tags: ['Spring', 'a|b'] },
          ...{ max_clicks: 9000, expire_after: far, block_bots: true, private_stats: false },
          ...{ forward_query: true, count_bots: false, expired_redirect_url: 'https://e.test/' },
          geo_rules: { DE: 'https://e.test/de' },
          ab_variants: [{ url: 'https://e.test/b', weight: 30 }],
          rules: [{ when: [{ field: 'query', name: 'x' }], to: 'https://e.test/x' }],
        }),
        await before.aLink({ alias: 'ex-two', starts_at: far, pre_start_url: 'https://e.test/' }),
        await before.aLink({ alias: 'ex-lock', password: 'tulips@2030' }),
        await before.aLink({ alias: 'ex-quiet' }),
      ];
      const style = { size: 512, dark: '112233', level: 'H' };
      await before.call('put', `/api/v1/urls/${made[0]?.id}/qr`, style).expect(200);
      const clicks = new Map<string, Click[]>();
      for (const { id } of made.slice(0, 3)) {
        clicks.set(id, someClicks(700));
        await world.record(id, clicks.get(id) ?? []);
      }
      const items: ExportedItem[] = [];
      for (const { id } of made) {
        const { body } = await before.show(id);
        const qr = await before.call('get', `/api/v1/urls/${id}/qr`);
        items.push({ ...body, updated_at: null, qr: qr.body.style });
      }

      const job = await imported(await anAccountExport(items, clicks));
      expect(job).toMatchObject({
        state: 'done',
        counts: { created: 3, protected_inactive: 1 },
        history: { clicks: 2100, counted_clicks: 0, dropped_clicks: 0 },
        proof: { clicks_ok: true, differences: 0 },
      });

      const listed = (await after.list()).body.items as Record<string, unknown>[];
      for (const { id, short_url, last_click, password_set, status, ...same } of items) {
        const copy = listed.find(({ alias }) => alias === same.alias);
        const { updated_at, qr, ...fields } = same as Record<string, unknown>;
        expect(copy).toMatchObject(fields);
        expect([copy?.last_click, updated_at]).toEqual([last_click, null]);
        expect(copy?.status).toBe(password_set === true ? 'INACTIVE' : status);
        const copied = await after.call('get', `/api/v1/urls/${String(copy?.id)}/qr`);
        expect(copied.body.style).toEqual(qr);
        expect([id, short_url]).not.toContain(copy?.id);
      }
      expect((await visit(fresh, 'ex-lock')).status).toBe(410);

      const aliases = made.map(({ alias }) => alias);
      for (let i = 0; i < QUESTIONS; i++) {
        const question = aQuestion(aliases);
        const [asked, answered] = await Promise.all(
          [before, after].map((client) => client.call('get', '/api/v1/stats').query(question)),
        );
        expect([question, asked?.status]).toEqual([question, 200]);
        expect(comparable(answered?.body)).toEqual(comparable(asked?.body));
      }
    },
    PATIENCE,
  );
});

function comparable(body: unknown): unknown {
  return { ...(body as object), generated_at: null };
}
