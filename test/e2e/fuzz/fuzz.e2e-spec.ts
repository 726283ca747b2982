import { readFileSync } from 'node:fs';
import request from 'supertest';
import { aKey } from '../../support/factories/accounts';
import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { SeededRandom } from '../../support/fuzz/seeded-random';
import { hostileRequest, type KnownThings } from '../../support/fuzz/hostile-request';
import { type ApiDocument, type Route, routesOf } from '../../support/fuzz/routes';
import { AnswerCheck } from '../../support/openapi/answer-check';
import { exchange, type WireAnswer } from '../../support/fuzz/wire';
import { ApiClient } from '../../support/api-client';
import { startService, type Service } from '../../support/service';

/** `FUZZ_SEED=n` repeats a run; `FUZZ_REQUESTS=n` sets the requests per route. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121);
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 40);
const AT_ONCE = 4;
const LONGEST_MS = 2000;
const MOST_GROWTH_MB = 50;
const ACCOUNTS = 4;

describe(`every route of the API description, seed ${SEED}`, () => {
  let service: Service;
  let routes: Route[];
  let known: KnownThings;
  const complaints: string[] = [];

  beforeAll(async () => {
    // A small heap, so that growth in resident memory indicates a leak.
    const NODE_OPTIONS = '--max-old-space-size=128 --max-semi-space-size=2';
    service = await startService({ env: { NODE_OPTIONS } });
    const document = await request(service.url).get('/openapi.json');
    routes = routesOf(document.body as ApiDocument);
    known = await whatIsThere(service);
  });
  afterAll(() => service.stop());

  it('responds to hostile requests in time, never with a 500, and in bounded memory', async () => {
    // Warms up, so that lazy loading does not count as growth.
    await fuzz(new SeededRandom(SEED - 1), Math.ceil(REQUESTS / 5));
    const before = residentMb(service);
    await fuzz(new SeededRandom(SEED), REQUESTS);
    const growth = residentMb(service) - before;
    expect(complaints).toEqual([]);
    expect(growth).toBeLessThan(MOST_GROWTH_MB);
    expect(routes.length).toBeGreaterThan(40);
  });

  it('is as healthy afterwards as before', async () => {
    expect((await request(service.url).get('/health')).body.status).toBe('healthy');
    const link = await aLink(service);
    expect((await visit(service, link.alias)).status).toBe(302);
    expect(service.log()).not.toMatch(/Uncaught exception|Unhandled rejection/);
  });

  async function fuzz(random: SeededRandom, each: number): Promise<void> {
    const requests = routes.flatMap((route) =>
      Array.from({ length: each }, () => ({ route, bytes: hostileRequest(random, route, known) })),
    );
    random.shuffle(requests);
    const late: typeof requests = [];
    const send = async (): Promise<void> => {
      for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
        const answer = await exchange(service.port, next.bytes, LONGEST_MS);
        if (answer === null) late.push(next);
        else judge(next.route, next.bytes, answer);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    // On a busy machine, a response may be late once. A real hang repeats.
    for (const { route, bytes } of late) {
      judge(route, bytes, await exchange(service.port, bytes, LONGEST_MS));
    }
  }

  function judge(route: Route, bytes: Buffer, answer: WireAnswer | null): void {
    const fault = faultOf(answer) ?? mismatchOf(bytes, answer);
    if (fault === null) return;
    const sent = bytes.toString('latin1').slice(0, 600);
    complaints.push(
      `${fault} from ${route.method} ${route.path}\n${sent}\n→ ${answer?.text ?? ''}`,
    );
  }
});

function faultOf(answer: WireAnswer | null): string | null {
  if (answer === null) return 'no answer';
  // The service closes the connection without a response if it cannot parse the request.
  if (answer.status === 0) return null;
  if (answer.status >= 500 && !answer.text.includes('not_configured')) return `${answer.status}`;
  if (!/^X-Request-ID: req_[0-9a-f]{12}\r?$/im.test(answer.head)) return 'no request id';
  if (/^(Injected|Split|Set-Cookie: split)/im.test(answer.head)) return 'a split header';
  if (/node_modules|\n\s+at /.test(answer.text)) return 'a stack trace';
  return null;
}

let check: AnswerCheck | undefined;

function mismatchOf(bytes: Buffer, answer: WireAnswer | null): string | null {
  const [, method, target] =
    /^([A-Z]+) (\/\S*) HTTP\/1\.1\r\n/.exec(bytes.toString('latin1')) ?? [];
  if (answer === null || answer.status === 0 || method === undefined || target === undefined) {
    return null;
  }
  const header = (name: string): string | null =>
    new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(answer.head)?.[1] ?? null;
  const length = header('content-length');
  check ??= new AnswerCheck();
  const complaints = check.complaintsAbout({
    method,
    target,
    status: answer.status,
    header,
    text:
      length === null
        ? null
        : Buffer.from(answer.text, 'latin1').toString('utf8', 0, Number(length)),
  });
  return complaints.length === 0 ? null : complaints.join('; ');
}

async function whatIsThere(service: Service): Promise<KnownThings> {
  const owners = await Promise.all(Array.from({ length: ACCOUNTS }, () => ApiClient.on(service)));
  const link = await owners[0]!.aLink();
  await visit(service, link.alias);
  const key = await aKey(service, owners[0]!.account, ['admin:all']);
  const values = {
    code: link.alias,
    url_id: link.id,
    id: link.id,
    alias: 'fuzzed',
    short_code: link.alias,
    format: 'json',
    scope: 'all',
    provider: 'google',
    provider_name: 'google',
    long_url: 'https://example.com/',
    url: 'https://example.com/',
    email: 'fuzz@example.com',
    password: 'Corr3ct-Horse.',
    start_date: '2026-01-01',
    end_date: '2026-12-31',
    timezone: 'Europe/Berlin',
    group_by: 'time,browser',
    metrics: 'clicks',
    filters: '{"browser":["Chrome"]}',
    page: '1',
    pageSize: '10',
    sortBy: 'created_at',
    filter: '{"status":"ACTIVE"}',
  };
  return { values, credentials: [...owners.map(({ account }) => account.accessToken), key] };
}

function residentMb(service: Service): number {
  const status = readFileSync(`/proc/${service.process.pid ?? 0}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
