import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type Account, isGoing } from '../accounts/account/account';
import { AccountsRepository } from '../accounts/account/accounts.repository';
import { RemovedAccountsRepository } from '../accounts/closing/removed-accounts.repository';
import { deletionMail } from '../accounts/mails/account-mails';
import { DataOptions, HttpOptions, SiteOptions } from '../config/options';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import { ImportNodes } from '../imports/history/visit-recorder';
import { ImportsRepository } from '../imports/store/imports.repository';
import {
  JobKind,
  type JobStep,
  JobWaiting,
  type RunningJob,
} from '../infrastructure/jobs/job-kind';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { MailSender, Outbox } from '../infrastructure/mail/mail-sender';
import { AccountLinkReads } from '../stores/links/account-link-reads.repository';
import { LinkRemover } from '../links/removal/link-remover';
import { ReportsRepository } from '../moderation/reports/reports.repository';
import { AccountBelongings } from './account-belongings';
import { removeFiles } from '../imports/store/import-files';

const REMOVALS_A_STEP = 500;
const IMPORTS_A_READ = 20;
/** Time for cancelled jobs to finish their current step. */
const JOBS_END_MS = 1000;

export interface DeletionCursor {
  /** `again` deletes data that concurrent requests created during the earlier stages. */
  readonly stage: 'imports' | 'links' | 'rest' | 'again' | 'account';
}

type Deletion = RunningJob<null, DeletionCursor>;
type DeletionStep = JobStep<DeletionCursor>;

/** Deletes an account's data, then the account. Every step is idempotent (contract 24.12). */
@Injectable()
export class AccountDeletionJob extends JobKind<null, DeletionCursor> {
  readonly name = 'account_deletion';

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly removed: RemovedAccountsRepository,
    private readonly links: AccountLinkReads,
    private readonly remover: LinkRemover,
    private readonly imports: ImportsRepository,
    private readonly nodes: ImportNodes,
    private readonly jobs: JobsRepository,
    private readonly domains: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly belongings: AccountBelongings,
    private readonly reports: ReportsRepository,
    private readonly outbox: Outbox,
    private readonly mails: MailSender,
    private readonly data: DataOptions,
    private readonly http: HttpOptions,
    private readonly site: SiteOptions,
  ) {
    super();
  }

  async step(job: Deletion): Promise<DeletionStep> {
    const account = await this.accounts.findById(job.id);
    if (account === null || !isGoing(account)) return { cursor: null, done: 0 };
    const { stage } = job.cursor ?? { stage: 'imports' };
    switch (stage) {
      case 'imports':
        return this.removeImports(job);
      case 'links':
        return this.removeLinks(job);
      case 'rest':
        return this.removeRest(job, account);
      case 'again':
        return this.lookAgain(job);
      case 'account':
        return this.removeAccount(job, account);
    }
  }

  /** Stops running jobs first, so that they create no more links. */
  private async removeImports(job: Deletion): Promise<DeletionStep> {
    await this.jobs.cancelForAccount(job.id);
    if (await this.jobs.hasUnfinishedFor(job.id)) {
      const error = "The account's other jobs have not ended yet";
      throw new JobWaiting(JOBS_END_MS, { code: 'internal_error', error });
    }
    const { items } = await this.imports.page(job.id, 1, IMPORTS_A_READ);
    for (const found of items) {
      const { id } = found;
      job.checkLease();
      // Deletes the rows before the import, because no other code finds rows without an import.
      await this.nodes.removeRows(id);
      await this.imports.remove(id);
      await removeFiles(found, join(this.data.dir, 'imports'));
    }
    const stage = items.length < IMPORTS_A_READ ? 'links' : 'imports';
    const total = await this.links.countByOwner(job.id);
    return { cursor: { stage }, done: 0, ...(stage === 'links' && { total: job.done + total }) };
  }

  private async removeLinks(job: Deletion): Promise<DeletionStep> {
    const links = await this.links.findByOwner(job.id, REMOVALS_A_STEP);
    job.checkLease();
    if (links.length > 0) await this.remover.removeMany(links, job.id, new Map());
    const stage = links.length < REMOVALS_A_STEP ? 'rest' : 'links';
    return { cursor: { stage }, done: links.length };
  }

  private async removeRest(job: Deletion, { email, earlier }: Account): Promise<DeletionStep> {
    job.checkLease();
    await this.belongings.removeAll(job.id);
    for (const domain of await this.domains.disownByAccount(job.id, new Date()))
      await this.registry.tellChange(domain);
    for (const id of await this.domains.removeByAccount(job.id))
      await this.registry.tellRemoval(id);
    await this.jobs.removeAllExcept(job.id, job.id);
    for (const address of new Set([email, ...earlier.map((each) => each.email)])) {
      await this.reports.forgetReporter(job.id, address);
      await this.outbox.removeMessages(address);
    }
    return { cursor: { stage: 'again' }, done: 0 };
  }

  private async lookAgain(job: Deletion): Promise<DeletionStep> {
    const [links, imports] = await Promise.all([
      this.links.findByOwner(job.id, 1),
      this.imports.page(job.id, 1, 1),
    ]);
    const isClean = links.length === 0 && imports.items.length === 0;
    return { cursor: { stage: isClean ? 'account' : 'imports' }, done: 0 };
  }

  private async removeAccount(job: Deletion, { email }: Account): Promise<DeletionStep> {
    job.checkLease();
    const now = new Date();
    await this.removed.note(job.id, now);
    await this.accounts.remove(job.id, now);
    const from = { site: this.site.name, baseUrl: this.http.baseUrl };
    await this.mails.send(email, () => deletionMail(email, from));
    return { cursor: null, done: 0 };
  }
}
