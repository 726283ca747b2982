import { linkWith, principalWith, shownLink } from '../../../test/support/shared/domain-values';
import type { FileContents } from '../../infrastructure/files/file-formats';
import type { Link } from '../../stores/links/link';
import { TooManyFilesError } from '../link-index/link-list.errors';
import { LinkExportService } from './listing.service';

const CALLER = principalWith();
const OTHER = principalWith({ ownerId: 'other' });
const ASKED = { format: 'csv', filter: undefined, bom: false } as never;

describe('The export of links', () => {
  let links: Link[];
  const page = jest.fn(() => Promise.resolve({ ids: links.map(({ id }) => id) }));
  const findInOrder = jest.fn((ids: readonly string[]) =>
    Promise.resolve(links.filter(({ id }) => ids.includes(id))),
  );
  const write = jest.fn<unknown, [string, FileContents, boolean]>();
  let service: LinkExportService;

  beforeEach(() => {
    jest.clearAllMocks();
    links = [];
    service = new LinkExportService(
      { page } as never,
      { findInOrder } as never,
      { toItems: (found: Link[]) => Promise.resolve(found.map(shownLink)) } as never,
      { write } as never,
      { placesOf: () => ({ baseUrl: 'https://base.test', domains: [] }) } as never,
    );
  });

  async function rowsOfFile(): Promise<Record<string, unknown>[]> {
    const file = await service.file(ASKED, CALLER);
    file.open();
    await file.close();
    const [table] = write.mock.calls.at(-1)?.[1].archive() as unknown as [
      { header: string[]; rows: () => AsyncIterable<unknown[][]> },
    ];
    const found: Record<string, unknown>[] = [];
    for await (const rows of table.rows()) {
      found.push(
        ...rows.map((row) => Object.fromEntries(row.map((cell, at) => [table.header[at], cell]))),
      );
    }
    return found;
  }

  it('has a row for each link, with objects as JSON and empty cells for empty lists', async () => {
    const variants = [{ key: 'b', url: 'https://b.test/', weight: 50 }];
    links = [
      linkWith({ alias: 'plain', title: 'A, B' }),
      linkWith({
        alias: 'split',
        destinations: { rules: [], geoRules: null, abVariants: variants } as never,
      }),
    ];
    const [plain, split] = await rowsOfFile();
    expect(plain).toMatchObject({ alias: 'plain', title: 'A, B', tags: null, max_clicks: null });
    expect(JSON.parse(String(split?.ab_variants))).toMatchObject([{ url: 'https://b.test/' }]);
  });

  it('reads 500 links at a time', async () => {
    links = Array.from({ length: 501 }, () => linkWith());
    expect(await rowsOfFile()).toHaveLength(501);
    expect(findInOrder.mock.calls.map(([ids]) => ids.length)).toEqual([500, 1]);
  });

  it('allows four open files per account, and another file after one is closed', async () => {
    const files = [];
    for (let i = 0; i < 4; i++) files.push(await service.file(ASKED, CALLER));
    await expect(service.file(ASKED, CALLER)).rejects.toThrow(TooManyFilesError);
    await service.file(ASKED, OTHER);
    await files[0]?.close();
    await service.file(ASKED, CALLER);
    await expect(service.file(ASKED, CALLER)).rejects.toThrow(TooManyFilesError);
  });

  it('does not count a file that failed to start', async () => {
    page.mockRejectedValue(new Error('broken'));
    for (let i = 0; i < 5; i++) await expect(service.file(ASKED, CALLER)).rejects.toThrow('broken');
    page.mockImplementation(() => Promise.resolve({ ids: [] }));
    expect((await service.file(ASKED, CALLER)).disposition).toContain('curtail-links.csv');
  });
});
