import { createHash } from 'node:crypto';
import JSZip from 'jszip';
import { type Click, NO_VISITOR } from '../../src/engines/click-engine/chunk/click';
import {
  clickLine,
  clicksFile,
  countLines,
  isClicksFile,
  LINKS_A_FILE,
} from '../../src/imports/sources/curtail/export-codec';
import type { ImportedCounts } from '../../src/stores/imported-counts/imported-counts';

/** Links as in docs/contract.md#6.1, with `updated_at` and `qr`. */
export type ExportedItem = Readonly<Record<string, unknown>> & { readonly id: string };

/** Files in an account export except the manifest (docs/contract.md#23.2). */
export function exportFiles(
  items: readonly ExportedItem[],
  clicks: ReadonlyMap<string, readonly Click[]>,
  counts: readonly ImportedCounts[] = [],
): Map<string, Buffer> {
  const countsOf = (id: string) => counts.filter(({ linkId }) => linkId === id);
  const counted = items.flatMap(({ id }) => countsOf(id).flatMap((each) => [...countLines(each)]));
  const files = new Map([
    ['README.txt', Buffer.from('What each file and field is.\n')],
    ['account.json', Buffer.from('{"user":{}}\n')],
    ['links.ndjson', Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''))],
    ['counts.ndjson', Buffer.from(counted.join(''))],
  ]);
  const numbers = visitorNumbers([...clicks.values()].flat());
  const known = items.map(({ id }) => id);
  const ids = [...known, ...[...clicks.keys()].filter((id) => !known.includes(id))];
  for (let from = 0; from < ids.length; from += LINKS_A_FILE) {
    const lines = ids.slice(from, from + LINKS_A_FILE).flatMap((id) => {
      const sorted = (clicks.get(id) ?? []).toSorted((a, b) => a.at - b.at);
      return sorted.map((click) => clickLine(id, click, numbers.get(click.visitor) ?? null));
    });
    const name = clicksFile(from / LINKS_A_FILE + 1);
    if (lines.length > 0) files.set(name, Buffer.from(lines.join('')));
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

export function manifestOf(files: ReadonlyMap<string, Buffer>): object {
  return {
    format: 1,
    version: '1.0.0',
    created_at: new Date().toISOString(),
    counts: {},
    files: [...files].map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      records: isClicksFile(name) ? bytes.toString().split('\n').length - 1 : null,
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
  counts: readonly ImportedCounts[] = [],
): Promise<Buffer> {
  return zipOf(exportFiles(items, clicks, counts));
}
