import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Principal } from '../auth/access';
import type { FileResult } from '../common/http/http-result';
import { AuthenticationError, BadRequestError, UnprocessableError } from '../common/errors';
import { AppLog } from '../common/log';
import { toPage } from '../common/openapi/properties';
import { DataOptions, ImportFileOptions } from '../config/options';
import { attachment, contentType } from '../infrastructure/files/file-formats';
import { refuseFullDisk } from '../infrastructure/files/disk-space';
import { FileWriterThread } from '../infrastructure/files/file-writer.thread';
import { isUnfinished, type Job } from '../infrastructure/jobs/job';
import { machineNode } from '../infrastructure/jobs/job-runner';
import { JobStarter } from '../infrastructure/jobs/job-starter';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { newObjectId } from '../infrastructure/mongo/object-ids';
import { ClosedOwners } from '../stores/links/closed-owners';
import { ApiRequests, readCredential } from './api-requests';
import { ImportCredentials } from './store/import-credentials';
import { mappedColumns } from './reading/csv-fields';
import { csvStart } from './sources/csv/csv.reader';
import { ImportNodes } from './history/visit-recorder';
import { ImportRemains } from './running/import-remains';
import { type Import, type ImportColumn, type ImportOptions, isProved } from './store/import';
import type { ImportCursor, ImportInput } from './running/import-cursor';
import { ImportLimits } from './import-limits';
import { readOptions, readSource, runOptions } from './import-options';
import type { ImportPageResponse, ImportResponse } from './import.response';
import {
  type ImportRowPageResponse,
  IMPORT_REPORT_COLUMNS,
  toImportRowResponse,
  toReportRow,
} from './import-row.response';
import { ImportUndoService } from './import-undo.service';
import type { ImportRowsDto, RunImportDto, SyncImportDto, UndoImportDto } from './imports.dto';
import { ImportStateError, MappingError, UnknownImportError } from './imports.errors';
import { ImportRowsRepository } from './store/import-rows.repository';
import { ImportsRepository, type NewImport } from './store/imports.repository';
import { hasColumns, findApiService } from './sources/import-sources';
import { receiveUpload, type Upload } from './upload';
import { removeFile, removeFiles } from './store/import-files';

@Injectable()
export class ImportsService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly importRows: ImportRowsRepository,
    private readonly nodes: ImportNodes,
    private readonly remains: ImportRemains,
    private readonly jobs: JobsRepository,
    private readonly limits: ImportLimits,
    private readonly starter: JobStarter,
    private readonly writer: FileWriterThread,
    private readonly files: ImportFileOptions,
    private readonly data: DataOptions,
    private readonly requests: ApiRequests,
    private readonly credentials: ImportCredentials,
    private readonly closed: ClosedOwners,
    private readonly undos: ImportUndoService,
    private readonly log: AppLog,
  ) {}

  async create(request: Request, { ownerId }: Principal): Promise<ImportResponse> {
    await this.limits.refuseFurther(ownerId);
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
    await this.limits.refuseFurther(ownerId);
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

  private async begin(ownerId: string, { fields, file }: Upload): Promise<ImportResponse> {
    const source = readSource(fields.source);
    if (findApiService(source) !== null) {
      throw UnprocessableError.forField(
        'file',
        'does not apply to this source: send its address and credential as JSON',
      );
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
    // The account may have been suspended during a long upload.
    if (this.closed.has(ownerId)) throw new AuthenticationError('The account is closed');
    const stored = await this.imports.insert(newImport);
    try {
      await this.limits.takePlace(id, ownerId);
      await this.limits.refuseFullShare(ownerId);
      const node = await machineNode(this.data.dir);
      const input: ImportInput = { run: false };
      const job = await this.starter.begin({ id, kind: 'import', ownerId, input, node });
      await this.imports.confirmPlace(id);
      return await this.undos.toResponse(stored, job);
    } catch (error) {
      await this.imports.remove(id);
      throw error;
    }
  }

  async list(page: number, pageSize: number, { ownerId }: Principal): Promise<ImportPageResponse> {
    const { items, total } = await this.imports.page(ownerId, page, pageSize);
    const jobs = await this.jobs.findByIds(items.map(({ id }) => id));
    const responses: ImportResponse[] = [];
    for (const item of items) {
      const job = jobs.get(item.id);
      if (job !== undefined) responses.push(await this.undos.toResponse(item, job));
    }
    return toPage(responses, { page, pageSize }, total);
  }

  async show(id: string, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    return this.undos.toResponse(found, job);
  }

  /** Imports a checked source's rows, or continues an interrupted run. */
  async run(id: string, body: RunImportDto, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    const options = runOptions(found.options, body.options);
    const isReady = found.dryRun
      ? job.state === 'done'
      : ['cancelled', 'failed'].includes(job.state) && !isProved(found);
    if (!isReady) throw new ImportStateError(notReady(found, job));
    // Clicks are already recorded; other history options would count them twice.
    if (found.hasClicks && options.history !== 'all') {
      throw new ImportStateError(
        "This import's clicks are already recorded, so `history` must stay `all`",
      );
    }
    await this.restart(found, job, options, {});
    return this.show(id, caller);
  }

  async undo(id: string, { expected }: UndoImportDto, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    await this.undos.begin(found, job, expected);
    return this.show(id, caller);
  }

  async sync(id: string, body: SyncImportDto, caller: Principal): Promise<ImportResponse> {
    const { found, job } = await this.own(id, caller);
    if (found.file !== null)
      throw new BadRequestError("Only imports from a service's API can be synced", 'source');
    if (isUnfinished(job) || found.ranAt === null) {
      throw new ImportStateError('This import has no finished run yet; run it first');
    }
    if (body.credential !== undefined) {
      const credential = readCredential(body.credential);
      await this.imports.keepCredential(id, this.credentials.seal(id, credential));
    } else if (found.credential === null) {
      throw UnprocessableError.forField(
        'credential',
        'is required: the stored credential was deleted',
      );
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
    await this.undos.refuseUnfinished(id);
    await this.limits.takePlace(id, ownerId);
    await this.imports.beginRun(id, options);
    await this.imports.keepTrouble(id, null);
    const before = cursor as ImportCursor | null;
    // A run interrupted while reading visits resumes there, because the list may have changed.
    const isCutOff = state !== 'done' && before?.stage === 'linkVisits';
    const input: ImportInput = { run: true, ...more, ...(isCutOff && { from: before }) };
    if (!(await this.starter.restart(id, input))) {
      throw new ImportStateError('This import is still in progress');
    }
    // An undo may have started since the first check.
    await this.undos.refuseUnfinished(id, () => this.starter.cancel(id));
    await this.imports.confirmPlace(id);
  }

  async cancel(id: string, caller: Principal): Promise<ImportResponse> {
    await this.own(id, caller);
    await this.starter.cancel(id);
    void this.clean(id, () => this.remains.clear(id));
    return this.show(id, caller);
  }

  /** Removes the import, its file and its rows, but keeps its links. */
  async remove(id: string, caller: Principal): Promise<void> {
    const { found } = await this.own(id, caller);
    await this.undos.cancel(id);
    await this.starter.cancel(id);
    await this.imports.remove(id);
    await removeFiles(found, this.folder);
    void this.clean(id, () => this.nodes.removeRows(id));
  }

  async rows(id: string, query: ImportRowsDto, caller: Principal): Promise<ImportRowPageResponse> {
    await this.own(id, caller);
    const { verdict, page, pageSize } = query;
    const [items, total] = await Promise.all([
      this.importRows.pageOfRows(id, { verdict }, page, pageSize),
      this.importRows.countRows(id, { verdict }),
    ]);
    return toPage(items.map(toImportRowResponse), query, total);
  }

  async report(id: string, caller: Principal): Promise<FileResult> {
    await this.own(id, caller);
    const pages = () => this.importRows.allRows(id);
    const table = {
      name: 'report',
      header: IMPORT_REPORT_COLUMNS,
      async *rows() {
        for await (const rows of pages()) yield rows.map(toReportRow);
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

  /** Best-effort: if the work fails, the sweep removes the data later. */
  private async clean(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      this.log.warn("Could not remove all of an import's data; retrying later", {
        import: id,
        err,
      });
    }
  }
}

function refuseMapping(columns: readonly ImportColumn[], { mapping }: ImportOptions): void {
  // If the file is unreadable, the import job reports the error.
  if (columns.length === 0) return;
  const header = columns.map(({ name }) => name);
  const { columns: places, unknown } = mappedColumns(header, mapping);
  if (unknown !== null) throw new MappingError(`There is no column ${unknown}`, columns);
  if (places.long_url === undefined) {
    throw new MappingError('No column contains destinations: map a column to long_url', columns);
  }
}

function notReady({ dryRun }: Import, job: Job): string {
  if (isUnfinished(job)) return 'This import is still in progress';
  return dryRun
    ? 'The check of this import did not finish: start a new import'
    : 'This import has already finished';
}
