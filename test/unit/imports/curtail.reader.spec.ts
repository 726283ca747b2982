import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportFiles, type ExportedItem, manifestOf, zipOf } from '../../support/account-export';
import { NO_REDIRECT_MS, NO_VISITOR, SIGNALS } from '../../../src/engines/click-engine/chunk/click';
import { aClick } from '../../support/shared/click.factory';
import { DEFAULT_OPTIONS, type Import } from '../../../src/imports/store/import';
import type { FoundVisit, VisitPage } from '../../../src/imports/reading/import-reader';
import { TOTAL_ALONE } from '../../../src/stores/imported-counts/imported-counts';
import type { SourceLink } from '../../../src/imports/reading/source-link';
import { curtailReader } from '../../../src/imports/sources/curtail/curtail.reader';
import { ImportFormatError } from '../../../src/imports/reading/source.errors';

const ID = '64b000000000000000000001';
const OTHER = '64b000000000000000000002';
const DAY = 86_400_000;

function anItem(changes: object = {}): ExportedItem {
  return {
    id: ID,
    alias: 'promo',
    domain: null,
    long_url: 'https://example.com/a?b=1',
    status: 'ACTIVE',
    created_at: '2024-05-06T07:08:09Z',
    updated_at: 1_720_000_000,
    expire_after: 1_990_000_000,
    max_clicks: 10_000_000_000,
    private_stats: false,
    block_bots: true,
    count_bots: false,
    password_set: false,
    total_clicks: 3,
    last_click: null,
    title: 'Spring | sale',
    note: 'Two\nlines',
    tags: ['a|b', 'News'],
    starts_at: 1_980_000_000,
    pre_start_url: 'https://example.com/soon',
    expired_redirect_url: 'https://example.com/over',
    forward_query: true,
    rules: [{ key: 'r7', when: [{ field: 'os', values: ['iOS'] }], to: 'https://example.com/i' }],
    geo_rules: { DE: 'https://example.com/de' },
    ab_variants: [{ key: '3', url: 'https://example.com/b', weight: 40 }],
    qr: {
      size: 512,
      margin: 4,
      level: 'M',
      dark: '112233',
      light: 'ffffff',
      logo: false,
      track: true,
    },
    ...changes,
  };
}

describe('the reader of curtail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-reader-'));
  let count = 0;
  afterAll(() => rmSync(folder, { recursive: true }));

  function anImport(file: Buffer, options: Partial<Import['options']> = {}): Import {
    const path = join(folder, String(count++));
    writeFileSync(path, file);
    return {
      file: { path, name: 'export.zip', bytes: file.length, sha256: '' },
      options: { ...DEFAULT_OPTIONS, ...options },
    } as Import;
  }
  async function linksOf(of: Import): Promise<SourceLink[]> {
    return (await curtailReader.page(of, null, 1)).rows as SourceLink[];
  }
  async function visitsOf(of: Import): Promise<readonly FoundVisit[]> {
    return (await curtailReader.visits?.page(of, 0, null))?.visits ?? [];
  }
  async function refusalOf(file: Buffer): Promise<string> {
    const of = anImport(file);
    const error: unknown = await curtailReader.page(of, null, 1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImportFormatError);
    expect(existsSync(`${of.file?.path}.plain`)).toBe(false);
    expect(existsSync(`${of.file?.path}.plain.part`)).toBe(false);
    expect(existsSync(`${of.file?.path}.history`)).toBe(false);
    return (error as Error).message;
  }

  it('reads every field of a link', async () => {
    const clicks = new Map([[ID, [aClick(), aClick()]]]);
    const [link] = await linksOf(anImport(await zipOf(exportFiles([anItem()], clicks))));
    expect(link).toMatchObject({
      ...{ row: 1, alias: 'promo', linkId: ID, longUrl: 'https://example.com/a?b=1' },
      createdAt: new Date('2024-05-06T07:08:09Z'),
      updatedAt: new Date(1_720_000_000_000),
      expireAfter: new Date(1_990_000_000_000),
      ...{ maxClicks: 10_000_000_000, clicks: 3, singles: 2, pastClicks: 2 },
      ...{ title: 'Spring | sale', note: 'Two\nlines', tagNames: ['a|b', 'News'] },
      ...{ isArchived: false, isProtected: false, blockBots: true, privateStats: false },
      settings: {
        countBots: false,
        startsAt: new Date(1_980_000_000_000),
        preStartUrl: 'https://example.com/soon',
        expiredRedirectUrl: 'https://example.com/over',
        forwardQuery: true,
        destinations: {
          rules: [
            { key: 'r7', when: [{ field: 'os', values: ['iOS'] }], to: 'https://example.com/i' },
          ],
          geoRules: { DE: 'https://example.com/de' },
          abVariants: [{ key: '3', url: 'https://example.com/b', weight: 40 }],
        },
      },
      qrStyle: { size: 512, dark: '112233', track: true },
      ...{ notes: [], message: null },
    });
  });

  it('drops values that break a rule, and reports them', async () => {
    const bad = anItem({
      rules: [{ when: [{ field: 'moon' }], to: 'https://example.com' }],
      geo_rules: { XX: 'https://example.com' },
      ab_variants: 'many',
      expire_after: 1_970_000_000,
      qr: { size: 1 },
      tags: ['good', 7, 'a,b'],
      status: 'BLOCKED',
      password_set: true,
      title: 'x'.repeat(300),
    });
    const [link] = await linksOf(anImport(await zipOf(exportFiles([bad], new Map()))));
    expect(link).toMatchObject({
      ...{ isArchived: true, isProtected: true, tagNames: ['good'], qrStyle: null },
      notes: ['feature_dropped'],
      settings: { countBots: false, forwardQuery: true },
    });
    expect(Object.keys(link?.settings ?? {})).not.toEqual(
      expect.arrayContaining(['destinations', 'startsAt']),
    );
    for (const field of ['title', 'rules', 'geo_rules', 'ab_variants', 'starts_at', 'tags', 'qr']) {
      expect(link?.message).toContain(`"${field}"`);
    }
  });

  it("reads other services' counts with their source, zone and values", async () => {
    const series = {
      granularity: 'day',
      timezone: 'Europe/Paris',
      ...{ from: DAY, to: 3 * DAY },
      units: { starts: [DAY, 2 * DAY], clicks: [300, 70] },
      by: { country: new Map([['France', 200]]), referrer: new Map([['Direct', 9]]) },
    } as const;
    const about = { ownerId: '', importId: '' };
    const counts = [
      { ...about, ...series, linkId: ID, source: 'bitly_api', clicks: 380 },
      { ...about, ...TOTAL_ALONE, linkId: OTHER, source: 'csv', clicks: 5 },
    ];
    const items = [
      anItem({ total_clicks: 9, imported_clicks: 380 }),
      anItem({ id: OTHER, alias: 'other', total_clicks: 0 }),
    ];
    const files = exportFiles(items, new Map([[ID, [aClick()]]]), counts);
    const of = anImport(await zipOf(files));
    expect(await linksOf(of)).toMatchObject([
      { clicks: 9, singles: 1, pastClicks: 381, counts: series, countsSource: 'bitly_api' },
      { clicks: 0, singles: 0, pastClicks: 5, counts: TOTAL_ALONE, countsSource: 'csv' },
    ]);
    expect(await visitsOf(of)).toHaveLength(1);
    const broken = `${JSON.stringify({ url_id: ID, source: 'csv', clicks: 3, granularity: 'week', timezone: 'UTC' })}\nnull\n`;
    files.set('counts.ndjson', Buffer.from(broken));
    const [link] = await linksOf(anImport(await zipOf(files)));
    expect([link?.pastClicks, link?.counts]).toEqual([1, undefined]);
  });

  it('reads every field of a click, and visitors belong only to this export', async () => {
    const click = aClick({
      ...{ at: Date.UTC(2026, 9, 1, 1, 2, 3, 456), city: 'Köln', referrer: 'https://t.co' },
      ...{ utmSource: 'mail', utmMedium: 'x', utmCampaign: 'spring', redirectMs: 17 },
      signals: SIGNALS.qrCode,
    });
    const previewer = { botName: 'Slackbot-LinkExpanding', signals: SIGNALS.previewer };
    const clicks = [
      click,
      aClick({ at: click.at + DAY, visitor: 'b'.repeat(24), variant: '3', ...previewer }),
      aClick({ at: click.at + 2 * DAY, redirectMs: NO_REDIRECT_MS, referrer: '(other)' }),
      aClick({ at: click.at + 3 * DAY, visitor: NO_VISITOR, botName: 'Googlebot' }),
    ];
    const file = await zipOf(exportFiles([anItem()], new Map([[ID, clicks]])));
    const visits = await visitsOf(anImport(file));
    const known = visits.map((visit) => visit.known?.click);
    const { at, browser, device, country, countryCode, city, referrer } = click;
    const fields = { browser, device, country, countryCode, city, referrer, botName: null };
    expect(visits[0]).toMatchObject({ alias: 'promo', row: 1, at, known: { click: fields } });
    // Links that exclude bots also exclude previewers.
    expect(known.map((one) => one?.signals)).toEqual([2, 20, 0, 4]);
    expect(known.map((one) => one?.variant)).toEqual([null, '3', null, null]);
    expect(known.map((one) => one?.redirectMs)).toEqual([17, 1, NO_REDIRECT_MS, 1]);
    expect(known[2]?.referrer).toBe('(other)');
    const visitors = (found: readonly FoundVisit[]) => found.map((one) => one.known?.visitor);
    const [first, second, third, none] = visitors(visits);
    expect([second?.[1], third, none]).toEqual(['1', first, null]);
    expect(visitors(await visitsOf(anImport(file)))).toEqual(visitors(visits));
    const another = await zipOf(exportFiles([anItem({ title: 'x' })], new Map([[ID, clicks]])));
    expect(visitors(await visitsOf(anImport(another)))[0]?.[0]).not.toBe(first?.[0]);
  });

  it('limits and cleans hostile clicks, and continues after invalid ones', async () => {
    const lines = [
      '{"time":"2024-01-02T03:04:05Z","visitor":-1,"browser":{"$gt":""},"device":"<b>","country_code":"D\\u0000","city":"a\\u0000b\\ud800","referrer":"javascript:alert(1)","redirect_ms":1e99}',
      'no JSON',
      '',
      '{"time":"2024-01-02T03:04:05Z"}',
      `{"time":"2024-01-02T03:04:05Z","browser":"${'x'.repeat(5000)}","audience":"bot"}`,
      '[]',
      `"${'x'.repeat(1_100_000)}"`,
      '{"time":"2024-01-03T00:00:00Z","visitor":1}',
    ];
    const files = exportFiles([anItem()], new Map());
    const text = `${lines.join('\n')}\n`.replaceAll('{"time"', `{"url_id":"${ID}","time"`);
    files.set('clicks/00001.ndjson', Buffer.from(text));
    const visits = await visitsOf(anImport(await zipOf(files)));
    expect(visits.map(({ at }) => at !== null)).toEqual([
      ...[true, false, true, true, false, false, true],
    ]);
    expect(visits[0]?.known).toMatchObject({
      click: {
        browser: null,
        device: 'unknown',
        countryCode: null,
        city: 'ab\ufffd',
        referrer: null,
      },
      visitor: null,
    });
    expect(visits[0]?.known?.click.redirectMs).toBe(NO_REDIRECT_MS);
    expect(visits[3]?.known?.click.browser).toHaveLength(100);
    expect(visits[3]?.known?.click.botName).toBe('Unnamed bot');
  });

  it('continues from the end of any page', async () => {
    const items = Array.from({ length: 1201 }, (_, i) =>
      anItem({ id: i.toString(16).padStart(24, '0'), alias: `a${i}` }),
    );
    const many = Array.from({ length: 60_000 }, (_, i) =>
      aClick({ at: DAY + i * 977, redirectMs: (i * 7919) % 1009, city: `C${(i * 31) % 97}` }),
    );
    const clicks = new Map(items.slice(0, 40).map(({ id }) => [id, [aClick()]]));
    clicks.set(items[7]?.id ?? '', many);
    const of = anImport(await zipOf(exportFiles(items, clicks)));
    const rows: number[] = [];
    for (let page = await curtailReader.page(of, null, 1); ;) {
      rows.push(...page.rows.map(({ row }) => row));
      if (page.next === null) break;
      page = await curtailReader.page(of, page.next, page.nextRow);
    }
    expect(rows).toEqual(items.map((_, i) => i + 1));
    const times: string[] = [];
    for (let position: object | null = null; ;) {
      const page: VisitPage | undefined = await curtailReader.visits?.page(of, 0, position);
      times.push(...(page?.visits ?? []).map(({ alias, at }) => `${alias} ${at}`));
      position = page?.next ?? null;
      if (position === null) break;
    }
    expect(times).toHaveLength(60_039);
    expect(new Set(times).size).toBe(60_039);
  });

  it('returns unreadable links as separate rows', async () => {
    const files = exportFiles([anItem()], new Map());
    const text = `{"broken\n${'x'.repeat(1_100_000)}\n\n[1]\n${JSON.stringify(anItem())}`;
    files.set('links.ndjson', Buffer.from(text));
    expect(await linksOf(anImport(await zipOf(files)))).toMatchObject([
      { row: 1, problem: 'broken JSON' },
      { row: 2, problem: 'longer than 1 MiB' },
      { row: 3, problem: 'broken JSON' },
      { row: 4, alias: 'promo' },
    ]);
  });

  it('rejects an export with a changed byte before it imports anything', async () => {
    const counts = [
      { ...TOTAL_ALONE, linkId: ID, ownerId: '', importId: '', source: 'csv', clicks: 5 },
    ];
    const whole = exportFiles([anItem()], new Map([[ID, [aClick()]]]), counts);
    const manifest = manifestOf(whole);
    for (const name of whole.keys()) {
      const files = new Map(whole);
      const changed = Buffer.from(files.get(name) ?? '');
      changed[changed.length - 3] = (changed.at(-3) ?? 0) ^ 1;
      files.set(name, changed);
      expect(await refusalOf(await zipOf(files, manifest))).toContain(
        `${name} does not match manifest`,
      );
      files.delete(name);
      expect(await refusalOf(await zipOf(files, manifest))).toContain(`${name} is missing`);
    }
  });

  it('rejects files that are not an export, and exports in a later format', async () => {
    const files = exportFiles([anItem()], new Map());
    const said = manifestOf(files) as { files: object[] };
    expect(await refusalOf(Buffer.from('url\nhttps://a.test'))).toContain('not a ZIP file');
    expect(await refusalOf(await zipOf(files, 'no JSON'))).toContain('cannot be read');
    expect(await refusalOf(await zipOf(files, { ...said, format: 2, version: '3.0.0' }))).toContain(
      'an export of Curtail 3.0.0 in format 2, but this release reads only format 1',
    );
    const hidden = new Map([...files, ['../evil', Buffer.from('x')]]);
    expect(await refusalOf(await zipOf(hidden, said))).toContain('outside its folder');
    const more = new Map([...files, ['more.txt', Buffer.from('x')]]);
    expect(await refusalOf(await zipOf(more, said))).toContain('does not list the file "more.txt"');
    const orphan = exportFiles([anItem()], new Map([[OTHER, [aClick()]]]));
    expect(await refusalOf(await zipOf(orphan))).toContain(`clicks of ${OTHER}, but not the link`);
    const incomplete = new Map([...files].filter(([name]) => name !== 'counts.ndjson'));
    expect(await refusalOf(await zipOf(incomplete))).toContain('without counts.ndjson');
    const short = { ...said, files: said.files.map((file) => ({ ...file, records: 7 })) };
    expect(await refusalOf(await zipOf(files, short))).toContain('does not match manifest');
    expect(await refusalOf(Buffer.from('PK\u0003\u0004 and nothing'))).toContain('broken');
    const locked = Buffer.from(await zipOf(files, said));
    locked.writeUInt16LE(1, locked.indexOf('PK\u0001\u0002', 0, 'latin1') + 8);
    expect(await refusalOf(locked)).toContain('an encrypted ZIP file');
  });

  it('unpacks at most a hundred times the file size', async () => {
    const files = exportFiles([anItem()], new Map());
    files.set('clicks/00001.ndjson', Buffer.alloc(30 * 1024 * 1024, 'x'));
    expect(await refusalOf(await zipOf(files))).toContain('unpacks to far more');
  });
});
