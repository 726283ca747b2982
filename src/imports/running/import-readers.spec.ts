import { tmpdir } from 'node:os';
import { DAY_MS } from '../../common/time';
import type { RecordingOptions } from '../../config/options';
import type { OutboundClient } from '../../infrastructure/outbound/outbound.client';
import type { ImportCredentials } from '../store/import-credentials';
import type { Import } from '../store/import';
import type { ImportsRepository } from '../store/imports.repository';
import { ImportReaders } from './import.job';

describe('the reader of an import from a service', () => {
  const readers = new ImportReaders(
    {} as ImportsRepository,
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

  it('reads for at most three days, including pauses', async () => {
    const { api } = await readers.open(service as Import, job(2.9));
    expect(api?.host).toBe('links.test');
    await expect(readers.open(service as Import, job(3.1))).rejects.toMatchObject({
      status: 409,
      message: 'links.test was not completely read within 3 days',
    });
  });

  it('has no such limit for a file', async () => {
    const file = { ...service, source: 'csv' } as Import;
    await expect(readers.open(file, job(30))).resolves.toMatchObject({ api: null });
  });
});
