import { createHash } from 'node:crypto';
import { NO_DESTINATIONS } from '../../destinations/destinations';
import { MAX_IMPORTED_URL } from '../../links/making/destination';
import { clicksOfUnits } from '../../stores/imported-counts/imported-counts';
import type { Link, LinkChange, NewLink } from '../../stores/links/link';
import { FIELD_DEFAULTS } from '../../stores/links/link-fields';
import { distinctTagNames, MAX_TAGS_OF_LINK } from '../../stores/tags/tag';
import type { FoundRow, UnreadableRow } from '../reading/import-reader';
import { joinTexts, shown, type SourceLink } from '../reading/source-link';
import type { Import, ImportRow, ImportVerdict } from '../store/import';
import type { ClaimingRow } from '../store/import.schema';

export interface ImportedLimits {
  readonly maxClicks: number | null;
  /** Whether the clicks at the source have used up the limit. */
  readonly isUsedUp: boolean;
}

/** Changes to an imported link. */
export interface ImportedLinkUpdate {
  readonly before: Link;
  readonly change: LinkChange;
  /** Null if the tags are unchanged. */
  readonly tagNames: readonly string[] | null;
}

/** Preserves fields the source lacks, passwords set here, and deactivation by the click limit. */
export function decideUpdate(
  before: Link,
  link: SourceLink,
  limits: ImportedLimits,
  tags: { readonly present: readonly string[]; readonly wanted: readonly string[] },
): ImportedLinkUpdate | null {
  const tells = (field: string): boolean => link.untold?.includes(field) !== true;
  const isExpiring = link.expireAfter?.getTime() !== before.expireAfter?.getTime();
  const status = statusAfter(before, link, limits, tells('archived'));
  const change: LinkChange = {
    ...(link.longUrl !== before.longUrl && { longUrl: link.longUrl }),
    ...(tells('title') && link.title !== before.title && { title: link.title }),
    ...(tells('note') && link.note !== before.note && { note: link.note }),
    ...(tells('expire_after') && isExpiring && { expireAfter: link.expireAfter }),
    ...(tells('max_clicks') &&
      limits.maxClicks !== before.maxClicks && { maxClicks: limits.maxClicks }),
    ...(status !== before.status && { status }),
  };
  const isTagged = !tells('tags') || tagsKey(tags.present) === tagsKey(tags.wanted);
  if (isTagged && Object.keys(change).length === 0) return null;
  return { before, change, tagNames: isTagged ? null : tags.wanted };
}

function statusAfter(
  before: Link,
  link: SourceLink,
  limits: ImportedLimits,
  isTold: boolean,
): Link['status'] {
  const isProtected = link.isProtected && before.passwordHash === null;
  if (link.isArchived || isProtected || limits.isUsedUp) return 'INACTIVE';
  return isTold && !before.closedByLimit ? 'ACTIVE' : before.status;
}

function tagsKey(names: readonly string[]): string {
  return names
    .map((name) => name.toLowerCase())
    .sort()
    .join('\n');
}

export interface Limits extends ImportedLimits {
  /** Whether the link is deactivated because its imported clicks use up the limit. */
  readonly isClosed: boolean;
  readonly message: string | null;
}

const GETS_ANOTHER = 'the link gets another alias';
const OPEN_LINK = { isUsedUp: false, isClosed: false, message: null } as const;

export interface CandidateRow {
  readonly link: SourceLink;
  readonly alias: string | null;
  readonly key: string;
  readonly claim: string;
  readonly linkId: string;
}

/** The alias is null if it must be generated. */
type ImportedLink = Omit<NewLink, 'alias'> & Pick<CandidateRow, 'alias'>;

export interface Judged extends ClaimingRow {
  readonly link: ImportedLink | null;
  readonly update?: ImportedLinkUpdate;
  readonly tagNames: readonly string[];
}

export function newLink(
  dataImport: Import,
  { link, key, linkId }: CandidateRow,
  alias: string | null,
  { maxClicks, isUsedUp, isClosed }: Limits,
): ImportedLink {
  const isOff = link.isArchived || link.isProtected;
  return {
    ...FIELD_DEFAULTS,
    id: linkId,
    alias,
    longUrl: link.longUrl,
    destinations: NO_DESTINATIONS,
    passwordHash: link.passwordHash,
    ...link.settings,
    blockBots: link.blockBots ?? false,
    privateStats: link.privateStats ?? true,
    maxClicks,
    expireAfter: link.expireAfter,
    title: link.title,
    note: link.note,
    tags: [],
    ownerId: dataImport.ownerId,
    generation: 'v2',
    imported: {
      source: { kind: dataImport.source, key, import: dataImport.id },
      createdAt: link.createdAt ?? new Date(),
      status: isOff || isUsedUp ? 'INACTIVE' : 'ACTIVE',
      closedByLimit: isClosed && !isOff,
      updatedAt: link.updatedAt,
      qrStyle: link.qrStyle,
    },
  };
}

/** There are no stored counts if all clicks were imported individually. */
export function isRecounted(
  { options }: Import,
  link: SourceLink,
  stored: number | undefined,
  isOwn: boolean,
): boolean {
  if (options.history === 'none' || (isOwn && stored === undefined)) return false;
  return pickHistory(link).clicks !== (stored ?? 0);
}

/**
 * The link id depends only on import and row, so a repeated step cannot create a duplicate. Links
 * from an account export keep their order, also among links created at the same time.
 */
export function derivedId({ id, source }: Import, key: string, row: number): string {
  const digest = createHash('sha256').update(`${id}\n${source}\n${key}`).digest('hex');
  if (source !== 'curtail') return digest.slice(0, 24);
  return row.toString(16).padStart(8, '0') + digest.slice(0, 16);
}

export function tagsOfLink(dataImport: Import, link: SourceLink): string[] {
  return distinctTagNames([...link.tagNames, ...dataImport.options.tags]).slice(
    0,
    MAX_TAGS_OF_LINK,
  );
}

/** Individually imported clicks use up the limit; all other past clicks reduce it. */
export function decideLimits(
  { maxClicks, clicks, singles = 0, settings }: SourceLink,
  isOwn: boolean,
): Limits {
  const own = isOwn ? Math.min(singles, clicks) : 0;
  const lost = clicks - own;
  if (maxClicks === null || clicks === 0) return { ...OPEN_LINK, maxClicks };
  const usedUp = {
    ...OPEN_LINK,
    isUsedUp: true,
    message: `Its click limit of ${maxClicks} is used up`,
  };
  if (lost >= maxClicks) return { ...usedUp, maxClicks };
  const left = maxClicks - lost;
  // Deactivated, because the clicks to be imported use up the limit (unless bots do not count).
  if (own >= left && settings?.countBots !== false)
    return { ...usedUp, maxClicks: left, isClosed: true };
  const message = `The source has used ${lost} of ${maxClicks} clicks: the limit here is ${left}`;
  return { ...OPEN_LINK, maxClicks: left, message: lost > 0 ? message : null };
}

export function toUnreadableRow({ row, problem }: UnreadableRow): ImportRow {
  return {
    row,
    part: 0,
    alias: null,
    longUrl: null,
    verdict: 'row_unreadable',
    notes: [],
    message: problem,
    linkId: null,
  };
}

export function toVerdictRow(
  link: SourceLink,
  verdict: ImportVerdict,
  message: string | null,
): ImportRow {
  return {
    row: link.row,
    part: link.part,
    alias: link.alias === null ? null : shown(link.alias),
    longUrl: link.longUrl.slice(0, MAX_IMPORTED_URL) || null,
    verdict,
    notes: link.notes,
    message: joinTexts(message, link.message),
    linkId: null,
  };
}

/** @param holder the alias of the link that prevents the import of the row's alias */
export function renamedText(alias: string, holder: string = alias): string {
  const by = holder === alias ? '' : ` by ${holder}, which differs only in case`;
  return `${alias} is taken${by}: ${GETS_ANOTHER}`;
}

/** Names the generated alias once the link is stored. */
export function withNewAlias(text: string | null, alias: string): string | null {
  return text && text.replace(GETS_ANOTHER, `the link is ${alias} here`);
}

export function notWritten(row: ImportRow, claim: string | null, found: FoundRow): Judged {
  const history = 'problem' in found ? { clicks: 0 } : pickHistory(found);
  return { row, claim, ...history, link: null, tagNames: [] };
}

/** Uses the sum over time if it exceeds the total that the source reports. */
export function pickHistory({
  pastClicks,
  counts,
  countsSource,
  visitsKey,
  linkId: sourceId,
}: SourceLink): Pick<ClaimingRow, 'clicks' | 'counts' | 'countsSource' | 'sourceId' | 'visitsKey'> {
  return {
    clicks: counts === undefined ? pastClicks : Math.max(pastClicks, clicksOfUnits(counts)),
    sourceId,
    ...(counts !== undefined && { counts, countsSource }),
    ...(visitsKey !== undefined && { visitsKey }),
  };
}
