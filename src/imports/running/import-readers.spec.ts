import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../../common/time';
import type { RecordingOptions } from '../../config/options';
import type { OutboundClient } from '../../infrastructure/outbound/outbound.client';
import type { ImportCredentials } from '../store/import-credentials';
import type { Import } from '../store/import';
import type { ImportsRepository } from '../store/imports.repository';
import { ImportReaders } from './import.job';

describe('the reader of an import', () => {
  let paths: string[];
  const readers = new ImportReaders(
    { placedPaths: () => Promise.resolve(paths) } as unknown as ImportsRepository,
    { open: () => 'a key' } as unknown as ImportCredentials,
    {} as OutboundClient,
    { dataDir: tmpdir() } as RecordingOptions,
    { maxBytes: 1000, maxRows: 1000 },
  );
  const job = (days: number) => ({
    cursor: null,
    signal: new AbortController().signal,
    startedAt: new Date(Date.now() - days * DAY_MS),
  });
  const service = { id: 'f'.repeat(24), source: 'kutt_api', baseUrl: 'https://links.test/' };

  it('reads from a service for at most three days, including pauses', async () => {
    const { api } = await readers.open(service as Import, job(2.9));
    expect(api?.host).toBe('links.test');
    await expect(readers.open(service as Import, job(3.1))).rejects.toMatchObject({
      status: 409,
      message: 'links.test was not completely read within 3 days',
    });
  });

  it('has no time limit for a file', async () => {
    const file = { ...service, source: 'csv' } as Import;
    await expect(readers.open(file, job(30))).resolves.toMatchObject({ api: null });
  });

  it("waits to unpack a large file while another of the account's imports has copies", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'readers-'));
    paths = ['own', 'other'].map((name) => join(folder, name));
    const file = { source: 'csv', file: { path: paths[0] } } as Import;
    const { import: opened } = await readers.open(file, job(0));
    const check = () => opened.copies?.check();
    const write = (megabytes: number, ...names: string[]) => {
      writeFileSync(join(folder, ...names), '');
      truncateSync(join(folder, ...names), megabytes << 20);
    };
    write(40, 'own.plain');
    write(20, 'other.plain');
    await expect(check()).resolves.toBeUndefined();
    mkdirSync(join(folder, 'other.plain.parts'));
    write(12, 'other.plain.parts', '0');
    await expect(check()).rejects.toThrow('Another import of this account');
    const { import: other } = await readers.open(
      { ...file, file: { path: paths[1] } } as Import,
      job(0),
    );
    await expect(other.copies?.check()).resolves.toBeUndefined();
    write(20, 'own.plain');
    await expect(check()).rejects.toThrow('Another import of this account');
    rmSync(folder, { recursive: true });
    await expect(check()).resolves.toBeUndefined();
  });
});
