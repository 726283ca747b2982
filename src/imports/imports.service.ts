import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../auth/principal';
import type { FileResult } from '../common/http/http-result';
import { AuthenticationError, BadRequestError, UnprocessableError } from '../common/errors';
import { AppLog } from '../common/log';
import { MINUTE_MS } from '../common/time';
import { DataOptions, ImportFileOptions } from '../config/options';
import { attachment, contentType } from '../infrastructure/files/file-formats';
import { refuseFullDisk } from '../infrastructure/files/disk-space';
import { FileWriterThread } from '../infrastructure/files/file-writer.thread';
import { type Job, UNFINISHED } from '../infrastructure/jobs/job';
import { machineNode } from '../infrastructure/jobs/job-runner';
import { JobStarter } from '../infrastructure/jobs/job-starter';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { newObjectId } from '../infrastructure/mongo/object-ids';
import { ClosedOwners } from '../stores/links/closed-owners';
import { ApiRequests, readCredential } from './api-requests';
import { ImportCredentials } from './store/import-credentials';
import { mappedColumns } from './reading/csv-fields';
import { csvStart } from './sources/csv/csv-file';
import { ImportNodes } from './history/import-nodes';
import { ImportRemains } from './running/import-remains';
import { type Import, type ImportColumn, type ImportOptions, isProved } from './store/import';
import type { ImportCursor, ImportInput } from './running/import-cursor';
import { readOptions, readSource, runOptions } from './import-options';
import {
  type ImportPageResponse,
  type ImportResponse,
  type ImportRowPageResponse,
  IMPORT_REPORT_COLUMNS,
  toImportResponse,
  toImportRowResponse,
} from './import.response';
import type { ImportRowsDto, RunImportDto, SyncImportDto } from './imports.dto';
import {
  ImportStateError,
  ImportTooLargeError,
  MappingError,
  UnfinishedImportsError,
  UnknownImportError,
} from './imports.errors';
import { ImportsRepository, type NewImport } from './store/imports.repository';
import { hasColumns, findApiService } from './sources/import-sources';
import { receiveUpload, type Upload } from './upload';
import { removeFile, removeFiles } from './store/import-files';

const MAX_UNFINISHED = 3;
/** Total files and rows per account, as a multiple of the maximum import. */
const ACCOUNT_SHARE = 3;
/** Maximum time between taking a slot and queueing the job. */
const PLACING_MS = MINUTE_MS;

@Injectable()
export class ImportsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly nodes: ImportNodes,
    private readonly remains: ImportRemains,
    private readonly jobs: JobsRepository,
    private readonly starter: JobStarter,
    private readonly writer: FileWriterThread,
    private readonly files: ImportFileOptions,
    private readonly data: DataOptions,
    private readonly requests: ApiRequests,
    private readonly credentials: ImportCredentials,
    private readonly closed: ClosedOwners,
    private readonly log: AppLog,
  ) {}

  async create(request: Request, { ownerId }: Principal): Promise<ImportResponse> {
    await this.refuseFurther(ownerId);
    const { maxBytes } = this.files;
    const upload = await receiveUpload(request, this.folder, maxBytes);
    try {
      return await this.begin(ownerId, upload);
    } catch (error) {
      await removeFile(upload.file);
      throw error;
    }
  }

  async createOfService(body: unknown, { ownerId }: Principal): Promise<ImportResponse> {
    await this.refuseFurther(ownerId);
    await refuseFullDisk(this.data.dir);
    const { source, baseUrl, credential, options } = await this.requests.read(body);
    const id = newObjectId();
    return this.start({
      id,
      ownerId,
      source,
      options,
      baseUrl,
      file: null,
      columns: [],
      sameFileAs: null,
      credential: this.credentials.seal(id, credential),
    });
  }

  private async refuseFurther(ownerId: string): Promise<void> {
    if ((await this.jobs.countUnfinished(ownerId, 'import')) < MAX_UNFINISHED) return;
    throw new UnfinishedImportsError(MAX_UNFINISHED);
  }

  private async begin(ownerId: string, { fields, file }: Upload): Promise<ImportResponse> {
    const source = readSource(fields.source);
    if (findApiService(source) !== null) {
      throw UnprocessableError.forField('file', 'is none of this source: its API is asked');
    }
    const options = readOptions(fields.options);
    const columns = hasColumns(source) ? await csvStart(file.path) : [];
    refuseMapping(columns, options);
    const sameFileAs = await this.imports.sameFile(ownerId, file.sha256);
    const id = newObjectId();
    return this.start({ id, ownerId, source, options, file, columns, sameFileAs });
  }

  private async start(newImport: NewImport): Promise<ImportResponse> {
    const { id, ownerId } = newImport;
    // The account may have been suspended, and its jobs cancelled, during a long upload.
    if (this.closed.has(ownerId)) throw new AuthenticationError('The account is closed');
    const stored = await this.imports.insert(newImport);
    try {
      await this.takePlace(id, ownerId);
      await this.refuseFullShare(ownerId);
      const node = await machineNode(this.data.dir);
      const input: ImportInput = { run: false };
      const job = await this.starter.begin({ id, kind: 'import', ownerId, input, node });
      await this.imports.confirmPlace(id);
      return toImportResponse(stored, job);
    } catch (error) {
      await this.imports.remove(id);
      throw error;
    }
  }

  /** Takes a free slot; slots of ended jobs count as free. */
  private async takePlace(id: string, ownerId: string): Promise<void> {
    const before = new Date(Date.now() - PLACING_MS);
    const placed = await this.imports.placed(ownerId, before);
    const jobs = await this.jobs.findByIds(placed);
    const ended = placed.filter((placedId) => !isUnfinishedJob(jobs.get(placedId)));
    if (ended.length > 0) await this.imports.leavePlaces(ended, before);
    for (let place = 0; place < MAX_UNFINISHED; place++) {
      if (await this.imports.takePlace(id, place)) return;
    }
    throw new UnfinishedImportsError(MAX_UNFINISHED);
  }

  /** Runs after the import is stored, so that concurrent requests cannot exceed the share. */
  private async refuseFullShare(ownerId: string): Promise<void> {
    const { maxBytes, maxRows } = this.files;
    const checks = await this.imports.findDryRuns(ownerId);
    const jobs = await this.jobs.findByIds([...checks.keys()]);
    let rows = 0;
    for (const [id, { state, counts }] of jobs) {
      const isCutOff = checks.get(id) === true && ['cancelled', 'failed'].includes(state);
      if (!isCutOff) rows += Object.values(counts).reduce((sum, count) => sum + count, 0);
    }
    const bytes = await this.imports.sumFileBytes(ownerId);
    if (bytes <= ACCOUNT_SHARE * maxBytes && rows <= ACCOUNT_SHARE * maxRows) return;
    throw new ImportTooLargeError('Import storage is full. Delete an import to free space.');
  }

  async list(page: number, pageSize: number, { ownerId }: Principal): Promise<ImportPageResponse> {
    const { items, total } = await this.imports.page(ownerId, page, pageSize);
    const jobs = await this.jobs.findByIds(items.map(({ id }) => id));
    return {
      items: items.flatMap((item) => {
        const job = jobs.get(item.id);
        return job === undefined ? [] : [toImportResponse(item, job)];
      }),
      page,
      pageSize,
      total,
      hasNext: page * pageSize < total,
    };
  }

  async show(id: string, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    return toImportResponse(found, job);
  }

  /** Imports a checked source, or continues an unfinished run. */
  async run(id: string, body: RunImportDto, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    const options = runOptions(found.options, body.options);
    const isReady = found.dryRun
      ? job.state === 'done'
      : ['cancelled', 'failed'].includes(job.state) && !isProved(found);
    if (!isReady) throw new ImportStateError(notReady(found, job));
    // The clicks would be counted twice.
    if (found.hasClicks && options.history !== 'all') {
      throw new ImportStateError('Clicks of this import are recorded: its history stays `all`');
    }
    await this.restart(found, job, options, {});
    return this.show(id, caller);
  }

  async sync(id: string, body: SyncImportDto, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    if (found.file !== null) throw new BadRequestError('A file cannot be read again', 'source');
    const isUnfinished = UNFINISHED.some((unfinished) => unfinished === job.state);
    if (isUnfinished || found.ranAt === null) {
      throw new ImportStateError('No run of this import has come to its end yet');
    }
    if (body.credential !== undefined) {
      const credential = readCredential(body.credential);
      await this.imports.keepCredential(id, this.credentials.seal(id, credential));
    } else if (found.credential === null) {
      throw UnprocessableError.forField('credential', 'is missing: it is not known any more');
    }
    await this.restart(found, job, found.options, { sync: true });
    return this.show(id, caller);
  }

  private async restart(
    { id, ownerId }: Import,
    { cursor, state }: Job,
    options: ImportOptions,
    more: Partial<ImportInput>,
  ): Promise<void> {
    await this.takePlace(id, ownerId);
    await this.imports.beginRun(id, options);
    await this.imports.keepTrouble(id, null);
    const before = cursor as ImportCursor | null;
    // Visits of a service continue where they stopped: its list may have changed.
    const isCutOff = state !== 'done' && before?.stage === 'linkVisits';
    const input: ImportInput = { run: true, ...more, ...(isCutOff && { from: before }) };
    if (!(await this.starter.restart(id, input))) {
      throw new ImportStateError('This import has not ended yet');
    }
    await this.imports.confirmPlace(id);
  }

  async cancel(id: string, caller: Principal): Promise<ImportResponse> {
    await this.own(id, caller);
    await this.starter.cancel(id);
    void this.clearRemains(id);
    return this.show(id, caller);
  }

  /** Removes the import, its file and its rows; links remain. */
  async remove(id: string, caller: Principal): Promise<void> {
    const { found } = await this.own(id, caller);
    await this.starter.cancel(id);
    await this.imports.remove(id);
    await removeFiles(found, this.folder);
    void this.clearRows(id);
  }

  async rows(id: string, query: ImportRowsDto, caller: Principal): Promise<ImportRowPageResponse> {
    await this.own(id, caller);
    const { verdict, page, pageSize } = query;
    const [items, total] = await Promise.all([
      this.imports.pageOfRows(id, { verdict }, page, pageSize),
      this.imports.countRows(id, { verdict }),
    ]);
    const hasNext = page * pageSize < total;
    return { items: items.map(toImportRowResponse), page, pageSize, total, hasNext };
  }

  async report(id: string, caller: Principal): Promise<FileResult> {
    await this.own(id, caller);
    const pages = () => this.imports.allRows(id);
    const table = {
      name: 'report',
      header: IMPORT_REPORT_COLUMNS,
      async *rows() {
        for await (const rows of pages()) {
          yield rows.map(toImportRowResponse).map((row) =>
            IMPORT_REPORT_COLUMNS.map((name) => {
              const value = row[name];
              return Array.isArray(value) ? value.join(' ') : value;
            }),
          );
        }
      },
    };
    const contents = { document: () => ({}), archive: () => [table], workbook: () => [table] };
    return {
      kind: 'file',
      contentType: contentType('csv-table'),
      disposition: attachment(`curtail-import-${id}`, 'csv-table'),
      open: () => this.writer.write('csv-table', contents, false),
      close: () => Promise.resolve(),
    };
  }

  private get folder(): string {
    return join(this.data.dir, 'imports');
  }

  private async own(id: string, { ownerId }: Principal): Promise<{ found: Import; job: Job }> {
    const [found, job] = await Promise.all([this.imports.findById(id), this.jobs.findById(id)]);
    if (found === null || job === null || found.ownerId !== ownerId) throw new UnknownImportError();
    return { found, job };
  }

  private async clearRemains(id: string): Promise<void> {
    try {
      await this.remains.clear(id);
    } catch (err) {
      this.log.warn('Remains of a cancelled import are left to the sweep', { import: id, err });
    }
  }

  private async clearRows(id: string): Promise<void> {
    try {
      await this.nodes.removeRows(id);
    } catch (err) {
      this.log.warn('Rows of a removed import are left', { import: id, err });
    }
  }
}

function isUnfinishedJob(job: Job | undefined): boolean {
  return job !== undefined && UNFINISHED.some((state) => state === job.state);
}

function refuseMapping(columns: readonly ImportColumn[], { mapping }: ImportOptions): void {
  // The job reports unreadable files.
  if (columns.length === 0) return;
  const header = columns.map(({ name }) => name);
  const { columns: places, unknown } = mappedColumns(header, mapping);
  if (unknown !== null) throw new MappingError(`There is no column ${unknown}`, columns);
  if (places.long_url === undefined) {
    throw new MappingError('No column says where the links lead: choose one', columns);
  }
}

function notReady({ dryRun }: Import, { state }: Job): string {
  if (UNFINISHED.some((unfinished) => unfinished === state)) return 'This import has not ended yet';
  return dryRun
    ? 'The check of this import has not come to its end: begin another one'
    : 'This import has been run to its end';
}
