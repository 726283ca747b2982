import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import JSZip from 'jszip';
import { preparePlainFile } from './plain-file';
import { ImportFormatError } from './source.errors';

const CSV = 'alias,long_url\none,https://example.com/é\n';

async function zip(
  files: Record<string, string | Buffer>,
  compression: 'DEFLATE' | 'STORE' = 'DEFLATE',
): Promise<Buffer> {
  const made = new JSZip();
  for (const [name, text] of Object.entries(files)) {
    made.file(name, text, { createFolders: false });
  }
  return made.generateAsync({ type: 'nodebuffer', compression, comment: 'A comment' });
}

function changed(bytes: Buffer, from: string, to: string): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
}

/** Sets a field in the first entry of the central directory. */
function withField(bytes: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt16LE(value, copy.indexOf('PK\u0001\u0002', 0, 'latin1') + offset);
  return copy;
}

describe('preparePlainFile', () => {
  it('checks the disk while it copies, and deletes the copy if space runs out', async () => {
    const path = join(folder, 'file');
    await writeFile(path, gzipSync(randomBytes(20 * 1024 * 1024), { level: 0 }));
    const check = jest.fn().mockRejectedValue(new Error('full'));
    await expect(preparePlainFile(path, { maxBytes: Infinity, check })).rejects.toThrow('full');
    expect(check).toHaveBeenCalledTimes(1);
    await expect(preparePlainFile(path, { maxBytes: 1000, check })).rejects.toThrow(
      'more than 1000',
    );
    expect(await readdir(folder)).toEqual(['file']);
  });

  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plain-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function plain(bytes: Buffer): Promise<string> {
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    return readFile(await preparePlainFile(path), 'utf8');
  }

  const utf16 = Buffer.from(`\ufeff${CSV}`, 'utf16le');
  it.each<[string, () => Promise<Buffer>]>([
    ['deflated', () => zip({ 'links.csv': CSV })],
    ['stored', () => zip({ 'a/links.csv': CSV }, 'STORE')],
    ['of macOS', () => zip({ 'links.csv': CSV, '__MACOSX/._links.csv': 'x' })],
    ['of UTF-16', () => zip({ 'links.csv': utf16 })],
  ])('reads a zip %s', async (_name, make) => {
    expect(await plain(await make())).toBe(CSV);
  });

  it('reads text that begins with the first letters of a zip as text', async () => {
    const text = 'PK,alias,long_url\n1,one,https://example.com/\n';
    expect(await plain(Buffer.from(text))).toBe(text);
  });

  it.each<[string, RegExp, () => Promise<Buffer>]>([
    ['two files', /with 2 files/, () => zip({ a: CSV, b: CSV })],
    ['no file', /with 0 files/, () => zip({})],
    [
      '1,001 files',
      /more than 1000/,
      () => {
        return zip(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`${n}`, ''])));
      },
    ],
    [
      'a path upwards',
      /path outside/,
      async () => changed(await zip({ 'xx/a.csv': CSV }), 'xx/', '../'),
    ],
    [
      'an absolute path',
      /path outside/,
      async () => changed(await zip({ 'xa.csv': CSV }), 'xa.', '/a.'),
    ],
    ['a link', /a link/, async () => withField(await zip({ a: CSV }), 40, 0xa1ff)],
    ['encryption', /encrypted/, async () => withField(await zip({ a: CSV }), 8, 1)],
    [
      'another packing',
      /unsupported compression/,
      async () => withField(await zip({ a: CSV }), 10, 99),
    ],
    ['a bomb', /far more/, () => zip({ a: Buffer.alloc(8 * 1024 * 1024) })],
    ['a zip', /within/, async () => zip({ a: await zip({ b: CSV }) })],
    ['a gzip', /within/, () => zip({ a: gzipSync(CSV) })],
    [
      'a path of Windows',
      /path outside/,
      async () => changed(await zip({ 'xx/a': CSV }), 'xx/', 'C:\\'),
    ],
    [
      'a path upwards of Windows',
      /path outside/,
      async () => changed(await zip({ 'xx/a': CSV }), 'xx/', '..\\'),
    ],
    ['its end cut off', /a broken/, async () => (await zip({ a: CSV })).subarray(0, -30)],
  ])('rejects a zip with %s', async (_name, message, make) => {
    const refusal = plain(await make());
    await expect(refusal).rejects.toThrow(ImportFormatError);
    await expect(refusal).rejects.toThrow(message);
  });

  it.each<[string, RegExp, () => Buffer]>([
    ['a gzip', /within/, () => gzipSync(gzipSync(CSV))],
    ['a bomb', /far more/, () => gzipSync(Buffer.alloc(20 * 1024 * 1024))],
    ['its end cut off', /a broken/, () => gzipSync(CSV).subarray(0, -9)],
    [
      'other bytes behind it',
      /a broken/,
      () => Buffer.concat([gzipSync(CSV), Buffer.from('more')]),
    ],
  ])('rejects a gzip with %s, and deletes the copy', async (_name, message, make) => {
    const refusal = plain(make());
    await expect(refusal).rejects.toThrow(ImportFormatError);
    await expect(refusal).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual(['file']);
  });

  it('rejects a zip inside a gzip', async () => {
    await expect(plain(gzipSync(await zip({ a: CSV })))).rejects.toThrow(/within/);
  });
});
