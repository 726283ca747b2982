import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptAnswers, SourceApi } from '../../../src/imports/reading/source-api';
import { DEFAULT_OPTIONS, type Import, type ImportSource } from '../../../src/imports/store/import';
import type { FoundRow, ImportReader } from '../../../src/imports/reading/import-reader';
import { findApiService } from '../../../src/imports/sources/import-sources';
import { OutboundClient } from '../../../src/infrastructure/outbound/outbound.client';

const outbound = new OutboundClient({
  allowedNetworks: [{ address: '127.0.0.0', prefix: 8 }],
});

/** Reads a service step by step, as an import does, but without storing. */
export class SourceReading {
  private readonly dir = mkdtempSync(join(tmpdir(), 'curtail-reading-'));

  constructor(
    private readonly source: ImportSource,
    private readonly baseUrl: string,
    private readonly credential: string,
  ) {}

  async rows(of: Partial<Import> = {}, between: () => void = () => undefined): Promise<FoundRow[]> {
    const found: FoundRow[] = [];
    const whole = { options: DEFAULT_OPTIONS, dryRun: false, ...of } as Import;
    let position: object | null = null;
    let row = 1;
    do {
      const reader = await this.open({ position });
      const page = await reader.page(whole, position, row);
      found.push(...page.rows);
      // Cursors are stored as JSON.
      position = page.next === null ? null : (JSON.parse(JSON.stringify(page.next)) as object);
      row = page.nextRow;
      between();
    } while (position !== null);
    return found;
  }

  async open(cursor: object): Promise<ImportReader> {
    const kept = await KeptAnswers.open(join(this.dir, 'answers'), cursor);
    const { baseUrl } = this;
    const service = findApiService(this.source);
    if (service === null) throw new Error(`${this.source} has no API`);
    const headers = service.headers(this.credential);
    const { signal } = new AbortController();
    return service.reader(new SourceApi({ outbound, baseUrl, headers, kept, signal }));
  }

  close(): void {
    rmSync(this.dir, { recursive: true });
  }
}
