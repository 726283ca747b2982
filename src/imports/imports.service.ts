import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../auth/principal';
import type { FileResult } from '../common/http/http-result';
import { AuthenticationError, BadRequestError, UnprocessableError } from '../common/errors';
import { AppLog } from '../common/log';
import { DataOptions, ImportFileOptions } from '../config/options';
import { attachment, contentType } from '../infrastructure/files/file-formats';
import { FileWriterThread } from '../infrastructure/files/file-writer.thread';
import { type Job, UNFINISHED } from '../infrastructure/jobs/job';
import { machineNode } from '../infrastructure/jobs/job-runner';
import { JobStarter } from '../infrastructure/jobs/job-starter';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { newObjectId } from '../infrastructure/mongo/object-ids';
import { ClosedOwners } from '../link-store/closed-owners';
import { ApiRequests, readCredential } from './api/api-requests';
import { apiServiceOf } from './api/api-services';
import { ImportCredentials } from './api/import-credentials';
import { mappedColumns } from './csv/csv-fields';
import { csvStart } from './csv/csv-file';
import { ImportNodes } from './history/import-nodes';
import { type Import, type ImportColumn, type ImportOptions, isProved } from './import';
import type { ImportCursor, ImportInput } from './import.job';
import { readOptions, readSource, runOptions } from './import-options';
import {
  type ImportPageResponse,
  type ImportResponse,
  type ImportRowPageResponse,
  REPORT_COLUMNS,
  toImportResponse,
  toImportRowResponse,
} from './import.response';
import type { ImportRowsDto, RunImportDto, SyncImportDto } from './imports.dto';
import {
  ImportStateError,
  ImportTooLargeError,
  MappingError,
  UnknownImportError,
} from './imports.errors';
import { ImportsRepository, type NewImport } from './imports.repository';
import { hasColumns } from './reading/import-sources';
import { receiveUpload, removeFile, removeFiles, type Upload } from './upload';

const MAX_UNFINISHED = 3;
/** Files of an account together, in largest files. */
const FILES_SHARE = 3;

/** Imports as their owners see them (docs/contract.md#22.2); the job does the work. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly nodes: ImportNodes,
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

  /** Takes a file and begins the check of it. */
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

  /** Begins the check of the links that a service has. */
  async createOfService(body: unknown, { ownerId }: Principal): Promise<ImportResponse> {
    await this.refuseFurther(ownerId);
    const { source, baseUrl, credential, options } = await this.requests.read(body);
    const id = newObjectId();
    return this.start({
      ...{ id, ownerId, source, options, baseUrl, file: null, columns: [], sameFileAs: null },
      credential: this.credentials.seal(id, credential),
    });
  }

  private async refuseFurther(ownerId: string): Promise<void> {
    if ((await this.jobs.countUnfinished(ownerId, 'import')) < MAX_UNFINISHED) return;
    throw new ImportStateError(`${MAX_UNFINISHED} imports have not ended yet`);
  }

  private async begin(ownerId: string, { fields, file }: Upload): Promise<ImportResponse> {
    const source = readSource(fields.source);
    if (apiServiceOf(source) !== null) {
      throw UnprocessableError.forField('file', 'is none of this source: its API is asked');
    }
    const options = readOptions(fields.options);
    const known = await this.imports.bytesOf(ownerId);
    if (known + file.bytes > FILES_SHARE * this.files.maxBytes) {
      throw new ImportTooLargeError('Your files take all the room that they may: delete an import');
    }
    const columns = hasColumns(source) ? await csvStart(file.path) : [];
    refuseMapping(columns, options);
    const sameFileAs = await this.imports.sameFile(ownerId, file.sha256);
    const id = newObjectId();
    return this.start({ id, ownerId, source, options, file, columns, sameFileAs });
  }

  private async start(made: NewImport): Promise<ImportResponse> {
    const { id, ownerId } = made;
    // A long upload may end after the suspension of its account, which cancels its jobs.
    if (this.closed.has(ownerId)) throw new AuthenticationError('The account is closed');
    const stored = await this.imports.insert(made);
    const node = await machineNode(this.data.dir);
    const input: ImportInput = { run: false };
    const job = await this.starter.begin({ id, kind: 'import', ownerId, input, node });
    return toImportResponse(stored, job);
  }

  async list(page: number, pageSize: number, { ownerId }: Principal): Promise<ImportPageResponse> {
    const { items, total } = await this.imports.page(ownerId, page, pageSize);
    const jobs = await this.jobs.findByIds(items.map(({ id }) => id));
    return {
      items: items.flatMap((one) => {
        const job = jobs.get(one.id);
        return job === undefined ? [] : [toImportResponse(one, job)];
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

  /** Imports what a check has gone through, or goes on with a run that has not come to its end. */
  async run(id: string, body: RunImportDto, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    const options = runOptions(found.options, body.options);
    const isReady = found.dryRun
      ? job.state === 'done'
      : ['cancelled', 'failed'].includes(job.state) && !isProved(found);
    if (!isReady) throw new ImportStateError(notReady(found, job));
    // They would be counted beside themselves.
    if (found.hasClicks && options.history !== 'all') {
      throw new ImportStateError('Clicks of this import are recorded: its history stays `all`');
    }
    await this.restart(found, job, options, {});
    return this.show(id, caller);
  }

  /** Reads a service again and takes what is new (docs/contract.md#22.6). */
  async sync(id: string, body: SyncImportDto, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    if (found.file !== null) throw new BadRequestError('A file cannot be read again', 'source');
    const isUnfinished = UNFINISHED.some((one) => one === job.state);
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
    { id, file }: Import,
    { cursor, state }: Job,
    options: ImportOptions,
    more: Partial<ImportInput>,
  ): Promise<void> {
    await this.imports.beginRun(id, options);
    await this.imports.keepTrouble(id, null);
    const before = cursor as ImportCursor | null;
    // Clicks of a service are taken up where they were left: it may list others by now.
    const isCutOff = file === null && state !== 'done' && before?.stage === 'visits';
    const input: ImportInput = { run: true, ...more, ...(isCutOff && { from: before }) };
    if (!(await this.starter.restart(id, input))) {
      throw new ImportStateError('This import has not ended yet');
    }
  }

  async cancel(id: string, caller: Principal): Promise<ImportResponse> {
    await this.own(id, caller);
    await this.starter.cancel(id);
    return this.show(id, caller);
  }

  /** Removes the import, its file and its rows; links stay. */
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
      header: REPORT_COLUMNS,
      async *rows() {
        for await (const rows of pages()) {
          yield rows.map(toImportRowResponse).map((row) =>
            REPORT_COLUMNS.map((name) => {
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

  private async clearRows(id: string): Promise<void> {
    try {
      await this.nodes.removeRows(id);
    } catch (err) {
      this.log.warn('Rows of a removed import are left', { import: id, err });
    }
  }
}

function refuseMapping(columns: readonly ImportColumn[], { mapping }: ImportOptions): void {
  // A file that cannot be read is told of by the job.
  if (columns.length === 0) return;
  const header = columns.map(({ name }) => name);
  const { columns: places, unknown } = mappedColumns(header, mapping);
  if (unknown !== null) throw new MappingError(`There is no column ${unknown}`, columns);
  if (places.long_url === undefined) {
    throw new MappingError('No column says where the links lead: choose one', columns);
  }
}

function notReady({ dryRun }: Import, { state }: Job): string {
  if (UNFINISHED.some((one) => one === state)) return 'This import has not ended yet';
  return dryRun
    ? 'The check of this import has not come to its end: begin another one'
    : 'This import has been run to its end';
}
