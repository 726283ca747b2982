import type { AccountStanding } from '../../accounts/account/account';
import type { AdminAccountResponse } from '../../moderation/administration/accounts/admin-account.response';
import type { AuditEntryResponse } from '../../moderation/administration/audit-trail.response';
import type { AdminDomainResponse } from '../../moderation/administration/domains/admin-domain.response';
import type { BlockedHostResponse } from '../../moderation/administration/hosts/blocked-hosts.response';
import type { AdminJobResponse } from '../../moderation/administration/jobs/admin-job.response';
import type { AdminLinkResponse } from '../../moderation/administration/links/admin-link.response';
import type { ListsResponse } from '../../moderation/administration/lists/lists.response';
import type { AttentionKind } from '../../moderation/administration/overview/attention';
import type { AdminOverviewResponse } from '../../moderation/administration/overview/overview.response';
import type { AdminReportResponse } from '../../moderation/administration/reports/admin-report.response';

type OutputCell = string | number | null;

export type Columns<Row> = Readonly<Record<string, (row: Row) => OutputCell>>;

export interface AdminOutput {
  readonly rows: readonly object[];
  readonly header: readonly string[];
  readonly cells: readonly (readonly OutputCell[])[];
  /** Note for standard error, if the output is truncated. */
  readonly note?: string;
}

export const PAGE_SIZE = 100;
const MAX_PRINTED = 1000;
const MAX_CELL = 60;
/** Characters that are escaped, so that users' text cannot control the terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

export function toOutput<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  note?: string,
): AdminOutput {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
  return { rows, header: Object.keys(columns), cells, note };
}

export async function readAllPages<Row extends object>(
  page: (n: number) => Promise<{ items: readonly Row[]; total: number; hasNext: boolean }>,
  columns: Columns<Row>,
): Promise<AdminOutput> {
  const rows: Row[] = [];
  for (let n = 1; ; n++) {
    const { items, total, hasNext } = await page(n);
    rows.push(...items);
    if (!hasNext) return toOutput(rows, columns);
    if (rows.length < MAX_PRINTED) continue;
    return toOutput(rows, columns, `Not shown: ${total - rows.length} more`);
  }
}

export function toJsonLines({ rows }: AdminOutput): string {
  return rows
    .map((row) => `${JSON.stringify(row).replace(UNPRINTABLE, escapeCharacter)}\n`)
    .join('');
}

/** @param width terminal width; wider tables are printed as a list of fields */
export function toTable({ header, cells }: AdminOutput, width = Infinity): string {
  const rows = cells.map((row) => row.map(printableText));
  const table = alignCells([header, ...rows]);
  if (table.every((line) => line.length <= width)) return toText(table);
  return rows
    .map((row) => toText(alignCells(row.map((cell, i) => [header[i] ?? '', cell]))))
    .join('\n');
}

export function readableSize(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const size = bytes / 1024 ** power;
  return `${power === 0 ? size : size.toFixed(1)} ${units[power] ?? ''}`;
}

function alignCells(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function printableText(value: OutputCell): string {
  const text = String(value ?? '–').replace(UNPRINTABLE, '\ufffd');
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text;
}

/** Returns a JSON escape, which JSON parsers convert back to the character. */
function escapeCharacter(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A code for setting a new password, and the changed account (docs/contract.md#24.8). */
interface ResetCode extends AdminAccountResponse {
  readonly code: string;
  readonly page: string;
  readonly expires_at: string;
}

export const ADMIN_LINK_COLUMNS: Columns<AdminLinkResponse> = {
  id: ({ id }) => id,
  'short url': ({ short_url }) => short_url,
  status: ({ status }) => status,
  owner: ({ owner }) => owner && (owner.email ?? owner.id),
  clicks: ({ total_clicks }) => total_clicks,
  'long url': ({ long_url }) => long_url,
  reason: ({ blocked }) => blocked?.reason ?? null,
};
export const ACCOUNT_COLUMNS: Columns<AdminAccountResponse> = {
  id: ({ id }) => id,
  email: ({ email }) => email,
  role: ({ role }) => role,
  status: toStanding,
  links: ({ links }) => links,
  clicks: ({ clicks }) => clicks,
  sessions: ({ sessions }) => sessions,
  'last sign-in': ({ last_sign_in_at }) => last_sign_in_at,
  reason: ({ suspended }) => suspended?.reason ?? null,
};
export const RESET_COLUMNS: Columns<ResetCode> = {
  email: ({ email }) => email,
  code: ({ code }) => code,
  'enter it at': ({ page }) => page,
  'valid until': ({ expires_at }) => expires_at,
};
export const REPORT_COLUMNS: Columns<AdminReportResponse> = {
  id: ({ id }) => id,
  count: ({ count }) => count,
  reasons: ({ reasons }) =>
    Object.entries(reasons)
      .map(([reason, count]) => `${reason} ${count}`)
      .join(', '),
  'short url': ({ url }) => url && url.short_url,
  status: ({ url }) => url && url.status,
  'long url': ({ url }) => url && url.long_url,
  'last at': ({ last_at }) => last_at,
};
export const JOB_COLUMNS: Columns<AdminJobResponse> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  owner: ({ owner }) => owner && (owner.email ?? owner.id),
  done: ({ progress: { done, total } }) => (total === null ? done : `${done} of ${total}`),
  'created at': ({ created_at }) => created_at,
  error: ({ error }) => error && error.error,
};
export const HOST_COLUMNS: Columns<BlockedHostResponse> = {
  host: ({ host }) => host,
  reason: ({ reason }) => reason,
  'links blocked': ({ links_blocked }) => links_blocked,
  by: ({ by }) => by && (by.email ?? by.id),
  'created at': ({ created_at }) => created_at,
};
export const DOMAIN_COLUMNS: Columns<AdminDomainResponse> = {
  id: ({ id }) => id,
  domain: ({ fqdn }) => fqdn,
  status: ({ status }) => status,
  shared: ({ shared }) => (shared ? 'yes' : 'no'),
  owner: ({ owner }) => owner && (owner.email ?? owner.id),
  links: ({ links }) => links,
  'of others': ({ links_of_others }) => links_of_others,
};
export const TRAIL_COLUMNS: Columns<AuditEntryResponse> = {
  at: ({ at }) => at,
  act: ({ act }) => act,
  about: ({ subject }) => subject.alias ?? subject.email ?? subject.id,
  by: ({ actor }) => actor.email ?? actor.id ?? actor.via,
  reason: ({ reason }) => reason,
};

/** Returns the status that `--status` uses to find the account. */
function toStanding(account: AdminAccountResponse): AccountStanding {
  if (account.deletes_at !== null && new Date(account.deletes_at) <= new Date()) return 'deleting';
  if (account.suspended !== null) return 'suspended';
  return account.email_verified ? 'active' : 'unverified';
}

type Figures = Readonly<Record<string, OutputCell>>;

/** Lines of `overview` about what needs attention, of at most 60 characters. */
const ATTENTION_WORDS: Readonly<Record<AttentionKind, (count: number | null) => string>> = {
  disk: (bytes) => `only ${readableSize(bytes ?? 0)} free on the disk of DATA_DIR`,
  backup: (days) =>
    `${days === null ? 'no backup yet' : `no backup for ${days} days`}: curtail backup`,
  reports: (count) => `${count} open reports: curtail admin reports`,
  mail_failed: (count) => `${count} emails not sent in 24 hours`,
  jobs_failed: (count) => `${count} jobs failed in 24 hours`,
  quarantined: (count) => `${count} journal files quarantined`,
  unreadable: (count) => `${count} unreadable blocklist lines: curtail admin lists`,
  outbox: () => 'emails are files in DATA_DIR/outbox: set SMTP_URL',
  alpha_database: () => 'the database is a pre-release: set MONGODB_URI',
};

/** Prints sizes in readable units; --json keeps the bytes. */
export function toFigures(overview: AdminOverviewResponse): AdminOutput {
  const { attention, ...rest } = overview;
  const warnings = attention.map(
    ({ kind, count }) => ['attention', ATTENTION_WORDS[kind](count)] as const,
  );
  const figures = Object.entries(rest as object).flatMap(
    ([name, value]: [string, Figures | OutputCell]) =>
      value !== null && typeof value === 'object'
        ? Object.entries(value).map(([part, cell]) => [`${name}.${part}`, cell] as const)
        : [[name, value] as const],
  );
  const columns: Columns<readonly [string, OutputCell]> = {
    figure: ([name]) => name.replace(/_?bytes$/, '').replace(/\.$/, '.size'),
    value: ([name, cell]) =>
      name.endsWith('bytes') && typeof cell === 'number' ? readableSize(cell) : cell,
  };
  return { ...toOutput([...warnings, ...figures], columns), rows: [overview] };
}

export function listsOutput(lists: ListsResponse): AdminOutput {
  const rows = (['hosts', 'urls'] as const).map((name) => ({ name, list: lists[name] }));
  const table = toOutput(rows, {
    list: ({ name }) => name,
    file: ({ list }) => list.file,
    entries: ({ list }) => list.entries,
    unreadable: ({ list }) => list.unreadable.total,
    'links blocked': ({ list }) => list.links_blocked,
    walk: ({ list }) => {
      const { state, done, total } = list.walk;
      return state === 'idle' ? state : `${state}, ${done} of ${total ?? '?'}`;
    },
    error: ({ list }) => list.error,
  });
  return { ...table, rows: [lists] };
}
