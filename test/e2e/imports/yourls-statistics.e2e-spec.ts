import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SIGNALS } from '../../../src/engines/click-engine/chunk/click';
import { aClick } from '../../support/shared/click.factory';
import type { NaiveClick } from '../../support/shared/naive-count';
import { ApiClient } from '../../support/api-client';
import { databaseOf } from '../../support/database';
import { journalEmpty, storedClicks } from '../../support/exact-clicks';
import { SeededRandom } from '../../support/fuzz/seeded-random';
import { visit } from '../../support/http';
import { endedImport, sendImport } from '../../support/importing';
import {
  cityDatabase,
  randomVisitor,
  randomYourlsDump,
} from '../../support/imports/random-yourls-dump';
import { limitsFile } from '../../support/limits';
import { type Service, startService } from '../../support/service';
import {
  comparedParts,
  countedAnswer,
  randomQuestion,
} from '../../support/statistics/random-question';
import { verify } from '../../support/verify';

const SEED = Number(process.env.IMPORT_SEED ?? 22);
/** The acceptance run uses a million. */
const ROWS = Number(process.env.IMPORT_CLICKS ?? 20_000);
const QUESTIONS = 50;
const LIVE_CLICKS = 60;
const TAG = 'moved';

jest.setTimeout(900_000);

describe(`Statistics of an imported dump of YOURLS (seed ${SEED})`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-yourls-'));
  const random = new SeededRandom(SEED);
  const dump = randomYourlsDump(random, { rows: ROWS, now: Date.now(), tag: TAG });
  const clicks: NaiveClick[] = [...dump.clicks];
  const ids = new Map<string, string>();
  let service: Service;
  let owner: ApiClient;

  async function start(): Promise<Service> {
    const cities = join(dataDir, 'cities.mmdb');
    writeFileSync(cities, cityDatabase());
    const rows = ['imports.create', 'imports.read', 'stats.account', 'stats.link'];
    const limits = limitsFile(Object.fromEntries(rows.map((row) => [row, 'off'])));
    const env = { GEOIP_DB: cities, LIMITS_FILE: limits };
    return startService({ dataDir, embedded: true, env });
  }

  beforeAll(async () => {
    service = await start();
    owner = await ApiClient.on(service);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function askQuestions(): Promise<void> {
    for (let i = 0; i < QUESTIONS; i++) {
      const question = randomQuestion(random, dump.aliases, Date.now());
      const { aliases, isOfLink, parameters } = question;
      const path = isOfLink ? `/links/${ids.get(aliases?.[0] ?? '') ?? ''}` : '';
      const { status, body } = await owner.call('get', `/api/v1/stats${path}`).query(parameters);
      expect([parameters, status]).toEqual([parameters, 200]);
      const asked = { aliases, ...parameters };
      expect({ asked, ...comparedParts(body) }).toEqual({
        asked,
        ...countedAnswer(question, clicks),
      });
    }
  }

  it('agree with its rows', async () => {
    const options = { dry_run: false, tags: [TAG] };
    const id = await sendImport(service, owner, gzipSync(dump.text), 'yourls_sql', options);
    const { untimed, ofOthers, aliases } = dump;
    expect(await endedImport(owner, id)).toMatchObject({
      state: 'done',
      counts: { created: aliases.length, destination_unsupported: 1 },
      history: {
        clicks: clicks.length,
        counted_clicks: untimed,
        dropped_clicks: untimed + ofOthers,
      },
      proof: { clicks_ok: true, differences: 0 },
    });
    const { items } = (await owner.list({ pageSize: 100 })).body as {
      items: { id: string; alias: string }[];
    };
    for (const item of items) ids.set(item.alias, item.id);
    expect(ids.size).toBe(aliases.length);
    await askQuestions();
  });

  it('are the same after a restart', async () => {
    expect(await service.stop()).toBe(0);
    service = await start();
    owner = await owner.at(service).signedInAgain();
    await askQuestions();
  });

  it('continue with clicks of this service, including clicks by the same visitors', async () => {
    const made = Array.from({ length: LIVE_CLICKS }, (_, i) => ({
      ...{ alias: random.of(dump.aliases), campaign: `live${i}`, isQr: random.chance(0.3) },
      ...{ visitor: randomVisitor(random), source: random.of([null, 'mail']) },
      referrer: random.of([null, 'https://t.co']),
    }));
    for (const { alias, campaign, isQr, visitor, source, referrer } of made) {
      const query = new URLSearchParams({
        utm_campaign: campaign,
        ...(source !== null && { utm_source: source }),
        ...(isQr && { qr: '1' }),
      });
      const answer = await visit(service, `${alias}?${query.toString()}`, {
        'X-Forwarded-For': visitor.address,
        'User-Agent': visitor.userAgent,
        ...(referrer !== null && { Referer: `${referrer}/x` }),
      });
      expect(answer.status).toBe(302);
    }
    await journalEmpty(dataDir);
    const database = await databaseOf(service);
    // Times and redirect durations depend on the service.
    const stored = (
      await Promise.all([...ids.values()].map((id) => storedClicks(database, id)))
    ).flat();
    await database.close();
    const live = new Map(stored.map((click) => [click.utmCampaign, click]));
    for (const { alias, campaign, isQr, visitor, source, referrer } of made) {
      const { at, redirectMs } = live.get(campaign) ?? aClick({ at: 0 });
      const signals = (visitor.fields.signals ?? 0) | (isQr ? SIGNALS.qrCode : 0);
      const click = aClick({ ...visitor.fields, at, redirectMs, signals, referrer });
      const campaigns = { utmCampaign: campaign, utmSource: source };
      clicks.push({ ...click, ...campaigns, alias, marks: [TAG] });
    }
    await askQuestions();
  });

  it('pass the audit, while the service runs and while it is stopped', async () => {
    const last = `verify: ${dump.aliases.length} links, ${clicks.length} clicks, 0 differences, 0 repaired`;
    expect(await verify(dataDir)).toEqual({ code: 0, last });
    await service.stop();
    expect(await verify(dataDir)).toEqual({ code: 0, last });
  });
});
