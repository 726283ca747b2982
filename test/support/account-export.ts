import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import JSZip from 'jszip';
import { type Click, NO_REDIRECT_MS, NO_VISITOR } from '../../src/engines/click-engine/chunk/click';

/** Links as in docs/contract.md#6.1, with `updated_at` and `qr`. */
export type ExportedItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** Files in an account export except the manifest (docs/contract.md#22.1). */
export function exportFiles(
  items: readonly ExportedItem[],
  clicks: ReadonlyMap<string, readonly Click[]>,
): Map<string, Buffer> {
  const files = new Map([
    ['README.txt', Buffer.from('What each file and field is.\n')],
    ['account.json', Buffer.from('{"user":{}}\n')],
    ['links.ndjson', ndjson(items)],
  ]);
  const numbers = visitorNumbers([...clicks.values()].flat());
  for (const [id, some] of clicks) {
    const sorted = some.toSorted((a, b) => a.at - b.at);
    const lines = sorted.map((click) => lineOf(click, numbers));
    if (lines.length > 0) files.set(`clicks/${id}.ndjson.gz`, gzipSync(ndjson(lines)));
  }
  return files;
}

function visitorNumbers(clicks: readonly Click[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { visitor } of clicks.toSorted((a, b) => a.at - b.at)) {
    if (visitor !== NO_VISITOR && !numbers.has(visitor)) numbers.set(visitor, numbers.size);
  }
  return numbers;
}

function lineOf(click: Click, numbers: ReadonlyMap<string, number>): object {
  return {
    time: new Date(click.at).toISOString(),
    visitor: numbers.get(click.visitor) ?? null,
    browser: click.browser,
    os: click.os,
    device: click.device,
    country: click.country,
    country_code: click.countryCode,
    city: click.city,
    referrer: click.referrer,
    utm_source: click.utmSource,
    utm_medium: click.utmMedium,
    utm_campaign: click.utmCampaign,
    bot: click.botName !== null,
    bot_name: click.botName,
    redirect_ms: click.redirectMs === NO_REDIRECT_MS ? null : click.redirectMs,
  };
}

function ndjson(values: readonly object[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

export function manifestOf(files: ReadonlyMap<string, Buffer>): object {
  return {
    format: 1,
    version: '1.0.0',
    created_at: new Date().toISOString(),
    include: ['links', 'clicks', 'settings'],
    counts: {},
    files: [...files].map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      records: null,
    })),
  };
}

export async function zipOf(
  files: ReadonlyMap<string, Buffer>,
  manifest: object | string = manifestOf(files),
): Promise<Buffer> {
  const zip = new JSZip();
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  zip.file('manifest.json', text, { createFolders: false });
  for (const [name, bytes] of files) zip.file(name, bytes, { createFolders: false });
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
}

export function anAccountExport(
  items: readonly ExportedItem[],
  clicks: ReadonlyMap<string, readonly Click[]>,
): Promise<Buffer> {
  return zipOf(exportFiles(items, clicks));
}
