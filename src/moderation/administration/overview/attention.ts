import { DAY_MS } from '../../../common/time';
import { type DiskSpace, reservedBytes } from '../../../infrastructure/files/disk-space';

/** Kinds of problems, the most urgent first. */
export const ATTENTION_KINDS = [
  'disk',
  'backup',
  'reports',
  'mail_failed',
  'jobs_failed',
  'quarantined',
  'unreadable',
  'outbox',
  'alpha_database',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export interface AttentionItem {
  readonly kind: AttentionKind;
  /** Number of items, free bytes (`disk`) or days since the last backup; null if there is none. */
  readonly count: number | null;
}

/** Null for a figure that could not be read, which never needs attention. */
export interface ServiceState {
  readonly now: Date;
  readonly disk: DiskSpace | null;
  readonly lastBackup: { readonly at: Date | null } | null;
  readonly reports: number | null;
  readonly failedMails: number | null;
  readonly failedJobs: number | null;
  readonly quarantined: number | null;
  readonly unreadable: number;
  readonly usesOutbox: boolean;
  readonly databaseVersion: string | null;
}

const BACKUP_DAYS = 7;
/** Imports and exports stop at twice the reserve, recording at the reserve. */
const LOW_RESERVES = 3;

/** Returns what an operator should look at (docs/contract.md#24.3). */
export function findAttention(state: ServiceState): AttentionItem[] {
  const { disk, lastBackup, now } = state;
  const at = lastBackup?.at ?? null;
  const days = at === null ? null : Math.floor((now.getTime() - at.getTime()) / DAY_MS);
  const isLow = disk !== null && disk.size > 0 && disk.free < LOW_RESERVES * reservedBytes(disk);
  const found: Readonly<Record<AttentionKind, number | boolean | null>> = {
    disk: isLow && disk.free,
    backup: lastBackup !== null && (days === null || days >= BACKUP_DAYS) && (days ?? true),
    reports: state.reports,
    mail_failed: state.failedMails,
    jobs_failed: state.failedJobs,
    quarantined: state.quarantined,
    unreadable: state.unreadable,
    outbox: state.usesOutbox,
    alpha_database: /-(alpha|beta|rc)/.test(state.databaseVersion ?? ''),
  };
  return ATTENTION_KINDS.flatMap((kind) => {
    const value = found[kind];
    if (value === null || value === false) return [];
    if (value === 0 && kind !== 'disk') return [];
    return { kind, count: value === true ? null : value };
  });
}
