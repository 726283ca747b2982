import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { AccountMailsService } from '../../accounts/mails/account-mails.service';
import type { Principal } from '../../auth/access';
import { isDuplicateKey } from '../../common/database-fault';
import { contentDisposition } from '../../common/http/content-disposition';
import type { FileResult } from '../../common/http/http-result';
import { DataOptions } from '../../config/options';
import type { Client } from '../../infrastructure/client-address/client-address';
import type { Job } from '../../infrastructure/jobs/job';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import { AccountDataService } from './account-data.service';
import type { ExportInput } from './account-export.job';
import {
  type AccountExportResponse,
  type AccountExportsResponse,
  type RemovedExportResponse,
  toExportResponse,
} from './account-export.response';
import { ExportFilesRepository } from './export-files.repository';
import { ExportFolder } from './export-folder';
import { ExportFileMissingError, UnfinishedExportError, UnknownExportError } from './export.errors';

const KIND = 'account_export';
const LISTED = 10;
const deflated = promisify<string, Buffer>(deflateRaw);

@Injectable()
export class AccountExportsService {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly starter: JobStarter,
    private readonly files: ExportFilesRepository,
    private readonly account: AccountDataService,
    private readonly mails: AccountMailsService,
    private readonly data: DataOptions,
  ) {}

  async create(principal: Principal, client: Client): Promise<AccountExportResponse> {
    const { ownerId } = principal;
    if ((await this.jobs.countUnfinished(ownerId, KIND)) > 0) throw new UnfinishedExportError();
    const account = await deflated(await this.account.read(principal));
    const input: ExportInput = { account: account.toString('base64') };
    try {
      const job = await this.starter.begin({ kind: KIND, ownerId, input, isSole: true });
      this.mails.notify(principal.userId, { what: 'export requested' }, client);
      return toExportResponse(job, null);
    } catch (error) {
      // A concurrent request has begun an export.
      if (isDuplicateKey(error)) throw new UnfinishedExportError();
      throw error;
    }
  }

  async list({ ownerId }: Principal): Promise<AccountExportsResponse> {
    const { jobs } = await this.jobs.page({ kind: KIND, ownerId }, 1, LISTED);
    const files = await this.files.find(jobs.map(({ id }) => id));
    return { exports: jobs.map((job) => toExportResponse(job, files.get(job.id) ?? null)) };
  }

  async show(id: string, principal: Principal): Promise<AccountExportResponse> {
    const job = await this.own(id, principal);
    return toExportResponse(job, (await this.files.find([id])).get(id) ?? null);
  }

  async file(id: string, principal: Principal): Promise<FileResult> {
    const job = await this.own(id, principal);
    const file = (await this.files.find([id])).get(id);
    if (job.state !== 'done' || job.finishedAt === null || file === undefined)
      throw new ExportFileMissingError();
    const name = `curtail-account-${job.finishedAt.toISOString().slice(0, 10)}.zip`;
    return {
      kind: 'file',
      contentType: 'application/zip',
      disposition: contentDisposition(name, name),
      bytes: file.bytes,
      open: () => this.files.open(id),
      close: () => Promise.resolve(),
    };
  }

  async remove(id: string, principal: Principal): Promise<RemovedExportResponse> {
    await this.own(id, principal);
    await this.starter.cancel(id);
    await this.jobs.remove(id);
    await this.files.remove([id]);
    await new ExportFolder(join(this.data.dir, 'exports', id)).remove();
    return { message: 'Export deleted', id };
  }

  private async own(id: string, { ownerId }: Principal): Promise<Job> {
    const job = await this.jobs.findById(id);
    if (job?.kind !== KIND || job.ownerId !== ownerId) throw new UnknownExportError();
    return job;
  }
}
