import { lstat, opendir } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import type { JournalMetrics } from '../../../clicks/journal/journal.calls';
import { ClickDaysRepository, dayStart } from '../../../clicks/store/click-days.repository';
import { AppLog } from '../../../common/log';
import { version } from '../../../common/package-info';
import { DAY_MS } from '../../../common/time';
import { withTimeout } from '../../../common/with-timeout';
import { DataOptions, MailOptions } from '../../../config/options';
import { diskSpace } from '../../../infrastructure/files/disk-space';
import { JobsRepository } from '../../../infrastructure/jobs/jobs.repository';
import { MailFailuresRepository } from '../../../infrastructure/mail/mail-failures.repository';
import { DatabaseFactsRepository } from '../../../infrastructure/mongo/database-facts.repository';
import { LastBackupRepository } from '../../../infrastructure/mongo/last-backup.repository';
import { ImportedCountsRepository } from '../../../stores/imported-counts/imported-counts.repository';
import { LinkTotalReads } from '../../../stores/links/link-total-reads.repository';
import { BlockedDestinations } from '../../../blocklists/blocked-destinations';
import { PrimaryClient } from '../../../processes/rpc/primary-client';
import { ReportsRepository } from '../../reports/reports.repository';
import { MAX_OPEN_REPORTS } from '../../reports/report';
import { findAttention } from './attention';
import type { AdminOverviewResponse } from './overview.response';

const OVERVIEW_MAX_AGE_MS = 30_000;
/** Time limit for a figure. A figure that takes longer is null. */
const FIGURE_MS = 10_000;
/** Timeout for database counts. */
const COUNT_MS = 8000;
/** Pause after a count times out, because the next one would probably time out, too. */
const REST_MS = 10 * 60_000;
const MACHINE_STATE_MS = 3000;

export interface MachineState {
  /** Service start in milliseconds since 1970. */
  readonly startedAt: number;
  /** Null while the recorder process does not respond. */
  readonly journal: JournalMetrics | null;
}

declare module '../../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'machine.state': { request: null; response: MachineState };
  }
}

interface Gathered {
  readonly overview: Promise<AdminOverviewResponse>;
  /** Time on the monotonic clock. */
  readonly at: number;
}

/**
 * Collects figures on demand, at most every 30 s per process (docs/contract.md#24.3). A figure that
 * fails or times out is null, so that all other figures still appear.
 */
@Injectable()
export class AdminOverviewService {
  private gathered: Gathered | null = null;
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly links: LinkTotalReads,
    private readonly imported: ImportedCountsRepository,
    private readonly days: ClickDaysRepository,
    private readonly reports: ReportsRepository,
    private readonly lists: BlockedDestinations,
    private readonly jobs: JobsRepository,
    private readonly failures: MailFailuresRepository,
    private readonly backup: LastBackupRepository,
    private readonly database: DatabaseFactsRepository,
    private readonly primary: PrimaryClient,
    private readonly data: DataOptions,
    private readonly mail: MailOptions,
    private readonly log: AppLog,
  ) {}

  overview(): Promise<AdminOverviewResponse> {
    const now = performance.now();
    if (this.gathered === null || now - this.gathered.at > OVERVIEW_MAX_AGE_MS - FIGURE_MS) {
      this.gathered = { overview: this.gather(new Date()), at: now };
    }
    return this.gathered.overview;
  }

  private async gather(now: Date): Promise<AdminOverviewResponse> {
    const today = new Date(dayStart(now.getTime()));
    const week = new Date(today.getTime() - 6 * DAY_MS);
    const dayAgo = new Date(now.getTime() - DAY_MS);
    const figure = <T>(name: string, ask: () => Promise<T>) => this.figure(name, ask);
    const [
      accounts,
      links,
      imported,
      clicksToday,
      clicksOfWeek,
      open,
      jobs,
      failures,
      backup,
      machine,
    ] = await Promise.all([
      figure('accounts', () => this.accounts.figures(week, COUNT_MS)),
      figure('links', () => this.links.figures(week, COUNT_MS)),
      figure('imported clicks', () => this.imported.sum(COUNT_MS)),
      figure('clicks of today', () => this.days.sumSince(today)),
      figure('clicks of the week', () => this.days.sumSince(week)),
      figure('reports', () => this.reports.countOpen(MAX_OPEN_REPORTS)),
      figure('jobs', () => this.jobs.figures(dayAgo)),
      figure('mails', () => this.failures.read(now)),
      figure('backup', async () => ({ at: await this.backup.find() })),
      figure('machine', () => this.primary.call('machine.state', null, MACHINE_STATE_MS)),
    ]);
    const [databaseVersion, databaseBytes, dataDirBytes, disk] = await Promise.all([
      figure('database', () => this.database.version()),
      figure('size of the database', () => this.database.bytes()),
      figure('size of DATA_DIR', () => folderSize(this.data.dir)),
      figure('free space', () => diskSpace(this.data.dir)),
    ]);
    const journal = machine?.journal ?? null;
    const { hosts, urls } = this.lists.lists();
    const unreadable = hosts.unreadable.total + urls.unreadable.total;
    const usesOutbox = this.mail.smtpUrl === null;
    return {
      attention: findAttention({
        now,
        disk,
        lastBackup: backup,
        reports: open,
        failedMails: failures?.lastDay ?? null,
        failedJobs: jobs?.failed ?? null,
        quarantined: journal?.quarantined ?? null,
        unreadable,
        usesOutbox,
        databaseVersion,
      }),
      version: { curtail: version(), node: process.versions.node, database: databaseVersion },
      started_at: machine === null ? null : new Date(machine.startedAt).toISOString(),
      accounts: {
        total: accounts?.total ?? null,
        verified: accounts?.verified ?? null,
        suspended: accounts?.suspended ?? null,
        admins: accounts?.admins ?? null,
        deleting: accounts?.deleting ?? null,
        last_7_days: accounts?.recent ?? null,
      },
      links: {
        total: links?.links ?? null,
        anonymous: links?.anonymous ?? null,
        blocked: links?.blocked ?? null,
        last_7_days: links?.recent ?? null,
      },
      clicks: {
        total: links?.clicks ?? null,
        imported_clicks: imported,
        today: clicksToday,
        last_7_days: clicksOfWeek,
      },
      reports: { open },
      lists: {
        hosts: hosts.entries,
        patterns: urls.entries,
        unreadable,
      },
      storage: {
        database_bytes: databaseBytes,
        data_dir_bytes: dataDirBytes,
        free_bytes: disk === null || disk.size === 0 ? null : disk.free,
      },
      journal: {
        files: journal?.files ?? null,
        bytes: journal?.bytes ?? null,
        oldest_at: timeBefore(now, journal?.oldestMs ?? null),
        quarantined: journal?.quarantined ?? null,
      },
      mail: {
        transport: usesOutbox ? 'outbox' : 'smtp',
        failed_24h: failures?.lastDay ?? null,
        last_failure_at: failures?.lastAt?.toISOString() ?? null,
      },
      jobs: {
        queued: jobs?.queued ?? null,
        running: jobs?.running ?? null,
        failed_24h: jobs?.failed ?? null,
      },
      last_backup_at: backup?.at?.toISOString() ?? null,
    };
  }

  private async figure<T>(name: string, ask: () => Promise<T>): Promise<T | null> {
    const begun = performance.now();
    if (begun < (this.resting.get(name) ?? 0)) return null;
    try {
      return await withTimeout(ask(), FIGURE_MS, () => {
        throw new Error('The query took too long');
      });
    } catch (err) {
      const took = performance.now() - begun;
      if (took > COUNT_MS / 2) this.resting.set(name, begun + REST_MS);
      this.log.debug('Overview figure unavailable', { name, err });
      return null;
    }
  }
}

function timeBefore(now: Date, ms: number | null): string | null {
  return ms === null ? null : new Date(now.getTime() - ms).toISOString();
}

/** Maximum number of files, because reading larger folders takes too long. */
const MAX_FILES = 100_000;

/** Returns null above `maxFiles`. Yields between files, and ignores files that disappear. */
async function folderSize(folder: string, maxFiles = MAX_FILES): Promise<number | null> {
  let bytes = 0;
  let files = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await opendir(next).catch(nullIfGone);
    if (entries === null) continue;
    for await (const entry of entries) {
      if (++files > maxFiles) return null;
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else bytes += (await lstat(path).catch(nullIfGone))?.size ?? 0;
    }
  }
  return bytes;
}

function nullIfGone(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
