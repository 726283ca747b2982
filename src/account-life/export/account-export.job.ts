import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { clicksByTime, RecordedClicks } from '../../clicks/store/recorded-clicks';
import { version } from '../../common/package-info';
import { DataOptions } from '../../config/options';
import { NO_VISITOR } from '../../engines/click-engine/chunk/click';
import {
  ACCOUNT_FILE,
  clickLine,
  clicksFile,
  COUNTS_FILE,
  countLines,
  EXPORT_FORMAT,
  type ExportedFile,
  exportLine,
  LINKS_A_FILE,
  LINKS_FILE,
  README_FILE,
} from '../../imports/sources/curtail/export-codec';
import { diskSpace, isNearlyFull } from '../../infrastructure/files/disk-space';
import { JobKind, type JobStep, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { LinkItemsService } from '../../links/making/link-items.service';
import { DomainRegistry } from '../../stores/domains/domain-registry';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { AccountLinkReads } from '../../stores/links/account-link-reads.repository';
import type { Link } from '../../stores/links/link';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { numberVisitors, writeNumbered } from './export-clicks';
import { exportZip } from './export-zip';
import { ExportFilesRepository } from './export-files.repository';
import { type AppendedFile, ExportFolder, type FileSizes } from './export-folder';
import { EXPORT_README } from './export-readme';
import { ExportDiskError } from './export.errors';
import { VisitorNumbers } from './visitor-numbers';

const LINKS_A_PAGE = 500;
const STEP_MS = 1000;
const VISITORS = 'visitors';
/** Suffix of files whose clicks contain the visitors' hashes. */
const RAW = '.raw';
const inflated = promisify<Buffer, Buffer>(inflateRaw);

export interface ExportInput {
  /** The content of `account.json`, compressed, in Base64. */
  readonly account: string;
}

/** Names and sizes are those in the machine's folder; without it, the job begins again. */
export interface ExportCursor {
  readonly stage: 'collect' | 'number' | 'clicks' | 'zip';
  readonly after: { readonly at: number; readonly id: string } | null;
  readonly links: number;
  readonly clicks: number;
  readonly importedClicks: number;
  readonly countLines: number;
  readonly sizes: FileSizes;
  /** Finished files of clicks. */
  readonly files: readonly ExportedFile[];
}

const START: ExportCursor = {
  stage: 'collect',
  after: null,
  links: 0,
  clicks: 0,
  importedClicks: 0,
  countLines: 0,
  sizes: {},
  files: [],
};

type ExportRun = RunningJob<ExportInput, ExportCursor>;
type ExportStep = JobStep<ExportCursor>;

/** Writes an account's data into a zip file (docs/contract.md#23.2). */
@Injectable()
export class AccountExportJob extends JobKind<ExportInput, ExportCursor> {
  readonly name = 'account_export';

  constructor(
    private readonly links: LinkReads,
    private readonly owned: AccountLinkReads,
    private readonly items: LinkItemsService,
    private readonly counts: ImportedCountsRepository,
    private readonly clicks: RecordedClicks,
    private readonly domains: DomainRegistry,
    private readonly files: ExportFilesRepository,
    private readonly data: DataOptions,
  ) {
    super();
  }

  async step(job: ExportRun): Promise<ExportStep> {
    const folder = this.folderOf(job.id);
    // An earlier attempt may have been killed after it stored the file.
    if (job.cursor?.stage === 'zip' && (await this.files.find([job.id])).size > 0)
      return endExport(folder);
    await this.refuseLowDisk();
    job.checkLease();
    let cursor = job.cursor ?? START;
    if (cursor !== START && !(await folder.holds(cursor.sizes))) cursor = START;
    if (cursor === START) await folder.reset();
    switch (cursor.stage) {
      case 'collect':
        return this.collect(job, folder, cursor);
      case 'number':
        return this.number(folder, cursor);
      case 'clicks':
        return this.writeClicks(job, folder, cursor);
      case 'zip':
        return this.writeZip(job, folder, cursor);
    }
  }

  override beforeFailure(job: ExportRun): Promise<void> {
    return this.folderOf(job.id).remove();
  }

  private async collect(
    job: ExportRun,
    folder: ExportFolder,
    before: ExportCursor,
  ): Promise<ExportStep> {
    await this.domains.refresh();
    const until = performance.now() + STEP_MS;
    const ownerId = job.ownerId ?? '';
    let cursor = before;
    let isEnd: boolean;
    do {
      const { after } = cursor;
      const place = after && { createdAt: new Date(after.at), id: after.id };
      const left = LINKS_A_FILE - (cursor.links % LINKS_A_FILE);
      const page = await this.links.findAfter(ownerId, place, Math.min(LINKS_A_PAGE, left));
      job.checkLease();
      if (page.length > 0) cursor = await this.collectPage(folder, cursor, page);
      isEnd = page.length === 0;
    } while (!isEnd && performance.now() < until);
    // After a restart on another machine, links are not counted again.
    const done = Math.max(0, cursor.links - job.done);
    if (isEnd) return { cursor: { ...cursor, stage: 'number' }, done, total: cursor.links };
    const total = Math.max(cursor.links, await this.owned.countByOwner(ownerId));
    return { cursor, done, total };
  }

  private async collectPage(
    folder: ExportFolder,
    cursor: ExportCursor,
    page: readonly Link[],
  ): Promise<ExportCursor> {
    const names = [LINKS_FILE, COUNTS_FILE, rawClicks(cursor.links)];
    const { result, sizes } = await folder.append(names, cursor.sizes, (files) =>
      this.writePage(page, files),
    );
    const last = page.at(-1);
    return {
      ...cursor,
      after: last === undefined ? null : { at: last.createdAt.getTime(), id: last.id },
      links: cursor.links + page.length,
      importedClicks: cursor.importedClicks + result.importedClicks,
      countLines: cursor.countLines + result.lines,
      sizes,
    };
  }

  private async writePage(
    page: readonly Link[],
    [links, counts, clicks]: readonly AppendedFile[],
  ): Promise<{ importedClicks: number; lines: number }> {
    const items = await this.items.toItems(page);
    const ids = page.map(({ id }) => id);
    // Deleted clicks may still be stored, until the deletion's job has removed them.
    const deletedAt = new Map(page.map((link) => [link.id, link.clicksDeletedAt?.getTime()]));
    let [importedClicks, lines] = [0, 0];
    for await (const each of this.counts.findSeries(ids.filter((id) => !deletedAt.get(id)))) {
      importedClicks += each.clicks;
      for (const line of countLines(each)) {
        await counts?.write(line);
        lines += 1;
      }
    }
    const recorded = new Map<string, { total_clicks: number; last_click: string | null }>();
    for await (const { linkId, chunks } of this.clicks.byLink(ids)) {
      let [total, last] = [0, 0];
      for (const click of clicksByTime(chunks)) {
        if (click.at <= (deletedAt.get(linkId) ?? -1)) continue;
        const visitor = click.visitor === NO_VISITOR ? null : click.visitor;
        await clicks?.write(clickLine(linkId, click, visitor));
        total += 1;
        last = click.at;
      }
      const lastClick = total === 0 ? null : new Date(last).toISOString();
      recorded.set(linkId, { total_clicks: total, last_click: lastClick });
    }
    for (const [at, item] of items.entries()) {
      const { updatedAt = null, qrStyle = null } = page[at] ?? {};
      // An import would not restore `clicks_deleted_at`, but both exports must be equal.
      const dropped = { clicks_deleted_at: undefined };
      const more = { ...dropped, updated_at: updatedAt?.toISOString() ?? null, qr: qrStyle };
      // Clicks may have been recorded since the link was read.
      await links?.write(exportLine(Object.assign(item, recorded.get(item.id), more)));
    }
    return { importedClicks, lines };
  }

  private async number(folder: ExportFolder, cursor: ExportCursor): Promise<ExportStep> {
    const { sizes } = cursor;
    const visitors = await numberVisitors(folder, rawNames(cursor.links), sizes);
    await writeFile(folder.pathOf(VISITORS), visitors, { mode: 0o600 });
    const written = { ...sizes, [VISITORS]: visitors.length };
    return { cursor: { ...cursor, stage: 'clicks', sizes: written }, done: 0 };
  }

  private async writeClicks(
    job: ExportRun,
    folder: ExportFolder,
    before: ExportCursor,
  ): Promise<ExportStep> {
    const until = performance.now() + STEP_MS;
    const numbers = VisitorNumbers.read(await readFile(folder.pathOf(VISITORS)));
    let cursor = before;
    const names = rawNames(cursor.links).filter((name) => name in cursor.sizes);
    while (performance.now() < until) {
      const [name] = names.filter((each) => (cursor.sizes[each] ?? 0) > 0);
      if (name === undefined) return { cursor: { ...cursor, stage: 'zip' }, done: 0 };
      job.checkLease();
      const from = { name, size: cursor.sizes[name] ?? 0 };
      const to = name.slice(0, -RAW.length);
      const { file, clicks } = await writeNumbered(folder, from, to, numbers);
      cursor = {
        ...cursor,
        clicks: cursor.clicks + clicks,
        files: [...cursor.files, file],
        sizes: { ...cursor.sizes, [name]: 0, [file.name]: file.bytes },
      };
    }
    return { cursor, done: 0 };
  }

  private async writeZip(
    job: ExportRun,
    folder: ExportFolder,
    cursor: ExportCursor,
  ): Promise<ExportStep> {
    const account = await inflated(Buffer.from(job.input.account, 'base64'));
    await writeFile(folder.pathOf(ACCOUNT_FILE), account, { mode: 0o600 });
    await writeFile(folder.pathOf(README_FILE), EXPORT_README, { mode: 0o600 });
    if (cursor.links === 0) await folder.append([LINKS_FILE, COUNTS_FILE], {}, async () => {});
    const files = [
      await folder.digest(README_FILE, null),
      await folder.digest(ACCOUNT_FILE, null),
      await folder.digest(LINKS_FILE, cursor.links),
      await folder.digest(COUNTS_FILE, cursor.countLines),
      ...cursor.files,
    ];
    const created = job.startedAt ?? new Date();
    const { links, clicks, importedClicks } = cursor;
    const manifest = {
      format: EXPORT_FORMAT,
      version: version(),
      created_at: created.toISOString(),
      counts: { links, clicks, imported_clicks: importedClicks },
      files,
    };
    const zip = exportZip(folder, manifest, created, async () => {
      job.checkLease();
      await this.refuseLowDisk();
    });
    await this.files.write(job.id, job.ownerId ?? '', zip.pieces);
    job.checkLease();
    await this.files.finish(job.id, zip.sha256());
    return endExport(folder);
  }

  private async refuseLowDisk(): Promise<void> {
    if (isNearlyFull(await diskSpace(this.data.dir))) throw new ExportDiskError();
  }

  private folderOf(jobId: string): ExportFolder {
    return new ExportFolder(join(this.data.dir, 'exports', jobId));
  }
}

/** @param links number of links before the page */
function rawClicks(links: number): string {
  return `${clicksFile(Math.floor(links / LINKS_A_FILE) + 1)}${RAW}`;
}

function rawNames(links: number): string[] {
  const count = Math.ceil(links / LINKS_A_FILE);
  return Array.from({ length: count }, (_, at) => rawClicks(at * LINKS_A_FILE));
}

async function endExport(folder: ExportFolder): Promise<ExportStep> {
  await folder.remove();
  return { cursor: null, done: 0 };
}
