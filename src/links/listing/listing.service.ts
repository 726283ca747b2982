import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import type { Link } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { toPage } from '../../common/openapi/properties';
import type { FileResult } from '../../common/http/http-result';
import {
  attachment,
  contentType,
  type FileContents,
  type FileKind,
} from '../../infrastructure/files/file-formats';
import { FileWriterThread } from '../../infrastructure/files/file-writer.thread';
import { PagedList } from '../../infrastructure/files/json';
import type { Cell, Table } from '../../infrastructure/files/table';
import { LinksService } from '../making/links.service';
import { LinkItemsService } from '../making/link-items.service';
import { LINK_COLUMNS, LinkItemResponse } from '../making/link.response';
import { LinkIndex } from '../link-index/link-index';
import { TooManyFilesError } from '../link-index/link-list.errors';
import { readFilter, toDomainFilter } from './list-filter';
import {
  type ExportLinksDto,
  isDescending,
  type LinkFileFormat,
  ListLinksDto,
} from './list-links.dto';
import { LinkPageResponse } from './link-page.response';

@Injectable()
export class ListingService {
  constructor(
    private readonly links: LinksService,
    private readonly index: LinkIndex,
    private readonly repository: LinkReads,
    private readonly items: LinkItemsService,
    private readonly addresses: LinkAddresses,
  ) {}

  async list(query: ListLinksDto, caller: Principal): Promise<LinkPageResponse> {
    const { page, pageSize, sortBy, sums } = query;
    const descending = isDescending(query.sortOrder);
    const places = this.addresses.placesOf(caller.ownerId);
    const requested = readFilter(query.filter ?? query.filterBy, places);
    const filter =
      query.domain === undefined
        ? requested
        : { ...requested, domain: toDomainFilter(query.domain, places) };
    const request = { page, pageSize, sortBy, descending, filter, sums };
    const { ids, total, totalClicks, importedClicks } = await this.index.page(
      caller.ownerId,
      request,
    );
    const links = await this.repository.findInOrder(ids);
    return {
      ...toPage(await this.items.toItems(links), query, total),
      sortBy,
      sortOrder: descending ? 'descending' : 'ascending',
      total_clicks: totalClicks,
      imported_clicks: importedClicks,
    };
  }

  async show(urlId: string, caller: Principal): Promise<LinkItemResponse> {
    return this.item(await this.links.ownLink(urlId, caller));
  }

  /** Throws 404 for unknown aliases and other accounts' links (docs/contract.md#31.4). */
  /** @param keys stored aliases, one for each domain that has or had the host name */
  async showByKeys(keys: readonly string[], caller: Principal): Promise<LinkItemResponse> {
    const link = await this.repository.findOwn(keys, caller.ownerId);
    if (link === null) throw new UnknownLinkError('address');
    return this.item(link);
  }

  private async item(link: Link): Promise<LinkItemResponse> {
    const [item] = await this.items.toItems([link]);
    if (item === undefined) throw new UnknownLinkError('id');
    return item;
  }
}

const FILE_KINDS = { csv: 'csv-table', json: 'json', xlsx: 'xlsx' } as const satisfies Record<
  LinkFileFormat,
  FileKind
>;
const FILE_STEM = 'curtail-links';
/** Number of links to read and write without yielding, which takes a few milliseconds. */
const PAGE = 500;
const FILES_OF_ACCOUNT = 4;
const COLUMN_NAMES = Object.keys(LINK_COLUMNS) as (keyof typeof LINK_COLUMNS)[];

@Injectable()
export class LinkExportService {
  private readonly files = new Map<string, number>();

  constructor(
    private readonly index: LinkIndex,
    private readonly repository: LinkReads,
    private readonly items: LinkItemsService,
    private readonly writer: FileWriterThread,
    private readonly addresses: LinkAddresses,
  ) {}

  /** Exports the links that match when called, newest first, in their current state. */
  async file({ format, filter, bom }: ExportLinksDto, { ownerId }: Principal): Promise<FileResult> {
    const passing = readFilter(filter, this.addresses.placesOf(ownerId));
    const close = this.openFile(ownerId);
    try {
      const ids = await this.findIds(ownerId, passing);
      const kind = FILE_KINDS[format];
      return {
        kind: 'file',
        contentType: contentType(kind),
        disposition: attachment(FILE_STEM, kind),
        open: () => this.writer.write(kind, this.contents(ids), bom),
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  }

  private async findIds(ownerId: string, filter: ReturnType<typeof readFilter>): Promise<string[]> {
    const pageSize = Number.MAX_SAFE_INTEGER;
    const whole = { page: 1, pageSize, sortBy: 'created_at', descending: true } as const;
    return (await this.index.page(ownerId, { ...whole, filter })).ids;
  }

  private contents(ids: readonly string[]): FileContents {
    const pages = (): AsyncGenerator<LinkItemResponse[]> => this.pages(ids);
    const table: Table = {
      name: 'Links',
      header: COLUMN_NAMES,
      widths: COLUMN_NAMES.map((name) => LINK_COLUMNS[name]),
      async *rows() {
        for await (const items of pages())
          yield items.map((item) => COLUMN_NAMES.map((name) => toCell(item[name])));
      },
    };
    const links = new PagedList(ids.length, pages);
    return {
      document: () => ({ generated_at: new Date().toISOString(), links: links as never }),
      archive: () => [table],
      workbook: () => [table],
    };
  }

  private async *pages(ids: readonly string[]): AsyncGenerator<LinkItemResponse[]> {
    for (let from = 0; from < ids.length; from += PAGE) {
      const links = await this.repository.findInOrder(ids.slice(from, from + PAGE));
      yield this.items.toItems(links);
    }
  }

  /** Counts an open export. The caller must call the returned function to release it. */
  private openFile(ownerId: string): () => Promise<void> {
    const open = this.files.get(ownerId) ?? 0;
    if (open >= FILES_OF_ACCOUNT) throw new TooManyFilesError();
    this.files.set(ownerId, open + 1);
    return () => {
      const left = (this.files.get(ownerId) ?? 1) - 1;
      if (left === 0) this.files.delete(ownerId);
      else this.files.set(ownerId, left);
      return Promise.resolve();
    };
  }
}

/** Joins tags with commas, which tag names cannot contain; other objects become JSON. */
function toCell(value: LinkItemResponse[keyof typeof LINK_COLUMNS] = null): Cell {
  if (typeof value !== 'object' || value === null) return value;
  const isOfTexts = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (!isOfTexts) return JSON.stringify(value);
  return value.length === 0 ? null : value.join(', ');
}
