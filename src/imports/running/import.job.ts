import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { JobError } from '../../infrastructure/jobs/job';
import { JobKind, JobWaiting, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { CurtailError, DiskReserveError } from '../../common/errors';
import { DAY_MS, MINUTE_MS } from '../../common/time';
import { ImportFileOptions, RecordingOptions } from '../../config/options';
import { refuseFullDisk } from '../../infrastructure/files/disk-space';
import { OutboundClient } from '../../infrastructure/outbound/outbound.client';
import { ImportsRepository } from '../store/imports.repository';
import { CredentialRefusedError, SourceTrouble } from '../reading/source.errors';
import { ImportCredentials } from '../store/import-credentials';
import { KeptAnswers, SourceApi } from '../reading/source-api';
import type { Import } from '../store/import';
import type { ImportReader } from '../reading/import-reader';
import { LOOK_BYTES } from '../reading/plain-file';
import { findApiService, findFileReader } from '../sources/import-sources';
import { answersPath, copiedBytes } from '../store/import-files';
import {
  beginPass,
  firstRunPass,
  type ImportCursor,
  type ImportInput,
  type ImportStep,
  NOTHING_DONE,
  type StageRun,
  totalCount,
} from './import-cursor';
import { ImportMails } from './import-mails';
import { ImportRemains } from './import-remains';
import { ProofStage, VisitsStage } from './proof.stage';
import { RowsStage } from './rows.stage';

/** An import fails if the service sends no response for this long. */
const MAX_TROUBLE_MS = DAY_MS;
/** Maximum duration of an import from a service, including pauses. */
const MAX_IMPORT_DAYS = 3;
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 5 * MINUTE_MS;
const DISK_WAIT_MS = MINUTE_MS;
/** Maximum size of a file's copies, as a multiple of the maximum file size. */
const MAX_UNPACKED = 4;
/** Exceeds an import's copies that are too small to be checked, so that no two imports wait. */
const SMALL_COPIES_BYTES = 2 * LOOK_BYTES;

export interface OpenSource {
  readonly reader: ImportReader;
  /** The import and the disk space its copies may need. */
  readonly import: Import;
  /** Null if the source is a file. */
  readonly api: SourceApi | null;
}

@Injectable()
export class ImportReaders {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly credentials: ImportCredentials,
    private readonly outbound: OutboundClient,
    private readonly recording: RecordingOptions,
    private readonly files: ImportFileOptions,
  ) {}

  async open(
    dataImport: Import,
    job: Pick<RunningJob, 'cursor' | 'signal' | 'startedAt'>,
  ): Promise<OpenSource> {
    const service = findApiService(dataImport.source);
    await this.waitForDisk();
    const maxBytes = MAX_UNPACKED * this.files.maxBytes;
    const check = () => this.waitForCopies(dataImport);
    const roomy = { ...dataImport, copies: { maxBytes, check } };
    if (service === null)
      return { reader: findFileReader(dataImport.source), import: roomy, api: null };
    refuseOverdue(dataImport, job.startedAt);
    const credential = this.credentials.open(dataImport);
    if (credential === null) {
      throw new CredentialRefusedError("This import's credential was deleted: send it again");
    }
    const folder = join(this.recording.dataDir, 'imports');
    const api = new SourceApi({
      outbound: this.outbound,
      baseUrl: dataImport.baseUrl ?? service.baseUrl ?? '',
      headers: service.headers(credential),
      kept: await KeptAnswers.open(answersPath(folder, dataImport.id), job.cursor),
      signal: job.signal,
    });
    return { reader: service.reader(api), import: dataImport, api };
  }

  /** @throws JobWaiting while free disk space is below the reserve */
  private async waitForDisk(): Promise<void> {
    try {
      await refuseFullDisk(this.recording.dataDir);
    } catch (error) {
      if (!(error instanceof DiskReserveError)) throw error;
      throw new JobWaiting(DISK_WAIT_MS, { code: error.code, error: error.message });
    }
  }

  /** Large copies of an account exist for one import at a time. @throws JobWaiting */
  private async waitForCopies({ ownerId, file }: Import): Promise<void> {
    await this.waitForDisk();
    const isLarge = async (path: string) => (await copiedBytes(path)) >= SMALL_COPIES_BYTES;
    for (const path of await this.imports.placedPaths(ownerId)) {
      if (path === file?.path || !(await isLarge(path))) continue;
      // If two imports have created large copies at the same time, one of them continues.
      if (file !== null && file.path < path && (await isLarge(file.path))) continue;
      const error = 'Another import of this account has unpacked a large file and must end first';
      throw new JobWaiting(DISK_WAIT_MS, { code: 'conflict', error });
    }
  }

  async close(dataImport: Import, { api }: OpenSource): Promise<void> {
    await this.noteResponses(dataImport, api);
    if (dataImport.trouble !== null) await this.imports.keepTrouble(dataImport.id, null);
  }

  private async noteResponses({ id }: Import, api: SourceApi | null): Promise<void> {
    await api?.end();
    if (api?.hasAnswered === true) await this.imports.addRequests(id, api.responses);
  }

  /** Converts a step's error for the job; after a temporary failure at a service, the job waits. */
  async explained(dataImport: Import, { api }: OpenSource, error: unknown): Promise<unknown> {
    await this.noteResponses(dataImport, api);
    if (error instanceof CredentialRefusedError) await this.credentials.forget(dataImport.id);
    if (!(error instanceof SourceTrouble)) return error;
    const now = Date.now();
    const before = api?.hasAnswered === true ? null : dataImport.trouble;
    const { since, tries } = before ?? { since: new Date(now), tries: 0 };
    if (now - since.getTime() >= MAX_TROUBLE_MS) {
      return new CurtailError(409, 'conflict', `${error.message}, repeatedly for a day`);
    }
    await this.imports.keepTrouble(dataImport.id, { since, tries: tries + 1 });
    const backoff = Math.min(MIN_WAIT_MS * 2 ** Math.min(tries, 30), MAX_WAIT_MS);
    return new JobWaiting(error.waitMs ?? backoff, { code: 'conflict', error: error.message });
  }
}

function refuseOverdue({ baseUrl }: Import, startedAt: Date | null): void {
  const began = startedAt?.getTime() ?? Date.now();
  if (Date.now() - began < MAX_IMPORT_DAYS * DAY_MS) return;
  const host = baseUrl === null ? 'The service' : new URL(baseUrl).hostname;
  const problem = `was not completely read within ${MAX_IMPORT_DAYS} days`;
  throw new CurtailError(409, 'conflict', `${host} ${problem}`);
}

/** Steps are idempotent: a repeated step finds its links and rows by their ids. */
@Injectable()
export class ImportJob extends JobKind<ImportInput, ImportCursor> {
  readonly name = 'import';

  constructor(
    private readonly imports: ImportsRepository,
    private readonly readers: ImportReaders,
    private readonly rows: RowsStage,
    private readonly visits: VisitsStage,
    private readonly proof: ProofStage,
    private readonly mails: ImportMails,
    private readonly remains: ImportRemains,
  ) {
    super();
  }

  async step(job: RunningJob<ImportInput, ImportCursor>): Promise<ImportStep> {
    const dataImport = await this.imports.findById(job.id);
    if (dataImport === null) return { ...NOTHING_DONE, cursor: null };
    const { from } = job.input;
    if (job.cursor === null) await this.visits.forgetCleared(dataImport);
    // Resumes with the interrupted run's counts.
    if (job.cursor === null && from !== undefined) {
      return {
        done: totalCount(from.counts),
        counts: from.counts as Record<string, number>,
        cursor: from,
      };
    }
    const cursor = job.cursor ?? beginPass(job.input.run ? firstRunPass(dataImport) : 'check');
    const source = await this.readers.open(dataImport, job);
    try {
      const { reader } = source;
      const step = await this.runStage({ dataImport: source.import, job, reader }, cursor);
      await this.readers.close(dataImport, source);
      if (step.cursor === null) await this.remains.removeCopies(dataImport);
      return step;
    } catch (error) {
      throw await this.readers.explained(dataImport, source, error);
    } finally {
      // The job may have been cancelled while the current step was storing data.
      if (job.signal.aborted) await this.remains.clear(dataImport.id);
    }
  }

  private runStage(run: StageRun, cursor: ImportCursor): Promise<ImportStep> {
    switch (cursor.stage) {
      case 'clear':
        return this.rows.clear(run, cursor);
      case 'rows':
        return this.rows.read(run, cursor);
      case 'visits':
        return this.visits.read(run, cursor);
      case 'linkVisits':
        return this.visits.readByLink(run, cursor);
      case 'history':
        return this.visits.settleRows(run, cursor);
      case 'proof':
        return this.proof.prove(run, cursor);
      case 'release':
        return this.proof.release(run, cursor);
    }
  }

  /** A failed check sends no email, because its client is waiting for the result. */
  override async beforeFailure(
    { id, input, cursor, startedAt }: RunningJob<ImportInput, ImportCursor>,
    error: JobError,
  ): Promise<void> {
    const dataImport = await this.imports.findById(id);
    if (dataImport === null) return;
    await this.remains.removeCutOff(dataImport);
    if (!input.run && dataImport.options.dry_run) return;
    await this.mails.tell(dataImport, { startedAt, counts: cursor?.counts ?? {}, error });
  }
}
