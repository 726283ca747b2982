import { ApiClient } from '../../support/api-client';
import { limitsFile } from '../../support/limits';
import { aKuttLink, kuttService } from '../../support/imports/kutt-service';
import type { JsonService } from '../../support/imports/json-service';
import { eventually, type Service, startService } from '../../support/service';

const KEY = 'kutt-key-that-nobody-may-read';

interface ImportBody {
  readonly id: string;
  readonly state: string;
  readonly counts: Record<string, number>;
  readonly history: Record<string, number>;
  readonly proof: { differences: number } | null;
  readonly error: { code: string; error: string } | null;
}

describe('imports from the API of Kutt', () => {
  let service: Service;
  let owner: ApiClient;
  let kutt: JsonService | undefined;

  beforeAll(async () => {
    const rows = ['create', 'read', 'run', 'change', 'rows'].map((row) => `imports.${row}`);
    const limits = limitsFile(Object.fromEntries(rows.map((row) => [row, 'off'])));
    const env = { LIMITS_FILE: limits, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
    service = await startService({ env });
  });
  beforeEach(async () => {
    owner = await ApiClient.on(service);
  });
  afterEach(() => kutt?.stop());
  afterAll(() => service.stop());

  async function ended(id: string): Promise<ImportBody> {
    let now: ImportBody | undefined;
    await eventually('the import has ended', async () => {
      now = (await owner.call('get', `/api/v1/imports/${id}`)).body as ImportBody;
      return ['done', 'failed'].includes(now.state);
    });
    return now as unknown as ImportBody;
  }

  async function imported(base_url: string, more: object = {}): Promise<ImportBody> {
    const body = { source: 'kutt_api', base_url, credential: KEY, ...more };
    const made = await owner.call('post', '/api/v1/imports', body);
    expect([made.status, made.body]).toEqual([202, expect.objectContaining({ kind: 'import' })]);
    return ended((made.body as ImportBody).id);
  }

  it('bring links with their totals', async () => {
    const links = Array.from({ length: 120 }, (_, i) =>
      aKuttLink(`k${process.pid}-${i}`, { visit_count: i % 3, description: `No. ${i}` }),
    );
    links[7] = { ...links[7]!, banned: true };
    links[8] = { ...links[8]!, password: true };
    kutt = kuttService(links, KEY);
    const made = await imported(await kutt.start(), { options: { dry_run: false } });
    expect(made).toMatchObject({
      state: 'done',
      counts: { created: 119, protected_inactive: 1 },
      history: { clicks: 0, counted_clicks: 120 },
      proof: { differences: 0 },
    });
    expect(kutt.mostAtOnce).toBeLessThanOrEqual(4);
    const { items } = (
      await owner.list({ pageSize: 100, filter: JSON.stringify({ search: '-7' }) })
    ).body as {
      items: { alias: string; status: string; note: string; long_url: string }[];
    };
    const [one] = items.filter(({ alias }) => alias.endsWith('-7'));
    expect(one).toMatchObject({ status: 'INACTIVE', note: 'No. 7' });
    expect(service.log()).not.toContain(KEY);
  });
});
