import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { clicksOfUnits } from '../../stores/imported-counts/imported-counts';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { NO_DESTINATIONS } from '../../destinations/destinations';
import { AliasTakenError } from '../../stores/links/link.errors';
import { DEFAULT_SETTINGS, type Link, type NewLink } from '../../stores/links/link';
import { LinksRepository } from '../../stores/links/links.repository';
import { AccountTags, TagCapError } from '../../stores/tags/account-tags';
import { distinctTagNames, MAX_TAGS_OF_LINK } from '../../stores/tags/tag';
import { isReserved, V1_ALIASES } from '../../links/alias';
import { LinkCache } from '../../links/link-cache';
import { MAX_IMPORTED_URL } from '../../links/destination';
import type { Import, ImportNote, ImportRow, ImportVerdict } from '../store/import';
import type { ClaimingRow } from '../store/import.schema';
import { ImportedDestinations, type ReadSource } from './imported-destinations';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportsRepository } from '../store/imports.repository';
import { type ImportedLimits, type ImportedLinkUpdate, decideUpdate } from './row-update';
import { type FoundRow, hasOwnClicks, type UnreadableRow } from '../reading/import-reader';
import {
  importedAlias,
  joinTexts,
  keyOfLink,
  shown,
  type SourceLink,
  type SourceSettings,
} from '../reading/source-link';

/** Maximum concurrent changes between reading a link and updating it. */
const MAX_CONFLICTING_CHANGES = 3;

interface Limits extends ImportedLimits {
  /** Whether the link's own clicks exhaust its limit. */
  readonly isClosed: boolean;
  readonly message: string | null;
}

const OPEN_LINK = { isUsedUp: false, isClosed: false, message: null } as const;

interface CandidateRow {
  readonly link: SourceLink;
  readonly alias: string | null;
  readonly key: string;
  readonly claim: string;
  readonly linkId: string;
}

interface Judged extends ClaimingRow {
  readonly link: NewLink | null;
  readonly update?: ImportedLinkUpdate;
  readonly tagNames: readonly string[];
}

export interface RowPart extends ReadSource {
  readonly rows: readonly FoundRow[];
  readonly first: number;
}

/** Determines verdicts of rows (docs/contract.md#22.3), in batches. */
@Injectable()
export class RowJudge {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly imported: ImportedLinksRepository,
    private readonly links: LinksRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly destinations: ImportedDestinations,
    private readonly tags: AccountTags,
    private readonly cache: LinkCache,
  ) {}

  /** Drops cached destinations: the source may have changed since the previous pass. */
  beginPass(dataImport: Import): void {
    this.destinations.forget(dataImport);
  }

  async judge(part: RowPart): Promise<Judged[]> {
    const { of, rows } = part;
    const judged: (Judged | null)[] = [];
    const candidates: CandidateRow[] = [];
    const bare = new Map<string, number>();
    for (const found of rows) {
      const link = 'problem' in found ? toUnreadableRow(found) : await this.acceptable(part, found);
      if ('verdict' in link) judged.push(notWritten(link, null, found));
      else {
        candidates.push(await this.toCandidate(of, link, part.first, bare));
        judged.push(null);
      }
    }
    const verdicts = await this.verdictsOn(part, candidates);
    let next = 0;
    return judged.map((judgedRow) => judgedRow ?? (verdicts[next++] as Judged));
  }

  /** Creates the links; a row whose link cannot be created gets the matching verdict. */
  async write({ of }: RowPart, judged: readonly Judged[]): Promise<ClaimingRow[]> {
    const wanted = judged.filter(({ link }) => link !== null);
    const updates = judged.filter(({ row }) => row.verdict === 'updated');
    const tagged = [...wanted, ...updates].flatMap(({ tagNames }) => tagNames);
    const names = distinctTagNames(tagged);
    // Sequential, so that the account's cap rejects only surplus tags.
    const ids = new Map<string, string>();
    for (const name of names) {
      const [id] = await this.tags.idsFor(of.ownerId, [name]).catch(noneOverCap);
      if (id !== undefined) ids.set(name.toLowerCase(), id);
    }
    const tagIds = (given: readonly string[]): string[] => [
      ...new Set(given.flatMap((name) => ids.get(name.toLowerCase()) ?? [])),
    ];
    let left = wanted;
    const outcome = new Map<Judged, Link | Error>();
    for (let round = 0; left.length > 0; round++) {
      const links = left.map(({ link, tagNames }) => ({
        ...(link as NewLink),
        ...(round > 0 && { alias: freshAlias() }),
        tags: tagIds(tagNames),
      }));
      const created = await this.links.insertMany(links, new Date());
      for (const [i, judgedRow] of left.entries())
        outcome.set(judgedRow, created[i] as Link | Error);
      // A generated alias can be replaced; the source's alias cannot.
      left = left.filter(
        (judgedRow) =>
          outcome.get(judgedRow) instanceof AliasTakenError &&
          isGenerated(judgedRow.row) &&
          round < V1_ALIASES.tries,
      );
    }
    await this.writeUpdates(of, updates, tagIds);
    return judged.map((judgedRow) => settled(judgedRow, outcome.get(judgedRow)));
  }

  /** Stores verdicts first: a repeated step finds nothing left to change. */
  private async writeUpdates(
    dataImport: Import,
    judged: readonly Judged[],
    idsOf: (names: readonly string[]) => string[],
  ): Promise<void> {
    await this.imports.saveRows(dataImport.id, judged);
    const aliases: string[] = [];
    for (const { update } of judged) {
      if (update === undefined) continue;
      const { change, tagNames } = update;
      const whole = { ...change, ...(tagNames !== null && { tags: idsOf(tagNames) }) };
      let link: Link | null = update.before;
      for (let attempt = 0; attempt < MAX_CONFLICTING_CHANGES && link !== null; attempt++) {
        const changed = await this.links.change(link, whole, new Date(), false);
        link = changed === null ? await this.links.findById(link.id) : null;
        if (changed !== null) aliases.push(changed.alias);
      }
    }
    if (aliases.length > 0) await this.cache.invalidate(...aliases);
  }

  /** The normalised link, or its row if the link is refused. */
  private async acceptable(part: RowPart, link: SourceLink): Promise<SourceLink | ImportRow> {
    const alias = link.alias === null ? null : importedAlias(link.alias);
    if (alias !== null && 'verdict' in alias)
      return toVerdictRow(link, alias.verdict, alias.message);
    const destination = await this.destinations.judge(part, link.longUrl);
    if ('verdict' in destination)
      return toVerdictRow(link, destination.verdict, destination.message);
    const { longUrl, message } = destination;
    const accepted = { ...link, longUrl, message: joinTexts(message, link.message) };
    return link.settings === undefined ? accepted : this.withSoundSettings(accepted, link.settings);
  }

  private async withSoundSettings(link: SourceLink, given: SourceSettings): Promise<SourceLink> {
    const { settings, refused } = await this.destinations.judgeSettings(given);
    if (refused.length === 0) return link;
    const message = `Left out for where they lead: ${refused.join(', ')}`;
    const notes = [...new Set([...link.notes, 'feature_dropped' as const])];
    return { ...link, settings, notes, message: joinTexts(link.message, message) };
  }

  private async toCandidate(
    dataImport: Import,
    link: SourceLink,
    first: number,
    bare: Map<string, number>,
  ): Promise<CandidateRow> {
    const read = link.alias === null ? null : importedAlias(link.alias);
    const alias = read !== null && 'alias' in read ? read.alias : null;
    const claim = alias ?? (await this.bareClaim(dataImport, link.longUrl, first, bare));
    const known = keyOfLink(dataImport.source, link, alias);
    const key = known ?? `${claim.split('#')[1] ?? ''}#${link.longUrl.slice(0, 500)}`;
    return { link, alias, key, claim, linkId: derivedId(dataImport, key) };
  }

  /** Claim of a row without alias: its index among rows with an equal destination. */
  private async bareClaim(
    dataImport: Import,
    longUrl: string,
    first: number,
    bare: Map<string, number>,
  ): Promise<string> {
    const start = ` ${createHash('sha256').update(longUrl).digest('hex').slice(0, 24)}#`;
    let count = bare.get(start);
    if (count === undefined) {
      const last = await this.imports.lastClaim(dataImport.id, start, first);
      count = last === null ? 0 : Number(last.slice(start.length)) + 1;
    }
    bare.set(start, count + 1);
    return start + String(count).padStart(10, '0');
  }

  private async verdictsOn(part: RowPart, candidates: readonly CandidateRow[]): Promise<Judged[]> {
    const { of, first } = part;
    const claims = candidates.map(({ claim }) => claim);
    const aliases = candidates.flatMap(({ alias }) => alias ?? []);
    const keys = candidates.map(({ key }) => key);
    // Sequential: two busy database cores would slow down redirects.
    const earlier = await this.imports.claimed(of.id, claims, first);
    const own = await this.links.findInOrder(candidates.map(({ linkId }) => linkId));
    const known = await this.links.findBySource(of.ownerId, of.source, keys);
    const others = aliases.length === 0 ? [] : await this.links.findByAliases(aliases);
    const isUpdating = of.options.on_existing === 'update';
    const isOwn = hasOwnClicks(of, part.reader);
    const [imported, updated, tagSet, totals] = await Promise.all([
      isUpdating ? this.links.findInOrder([...known.values()]) : [],
      isUpdating
        ? this.imports.rowsWith(
            of.id,
            candidates.map(({ link }) => link),
            'updated',
          )
        : [],
      this.tags.findTags(of.ownerId),
      isUpdating ? this.counts.findTotals([...known.values()]) : new Map<string, number>(),
    ]);
    const existing = new Map(imported.map((link) => [link.id, link]));
    const before = new Set(updated.map(({ row, part }) => `${row}/${part}`));
    const ownById = new Map(own.map((link) => [link.id, link]));
    const gone = candidates.map(({ linkId }) => linkId).filter((id) => !ownById.has(id));
    const deleted = of.file === null ? await this.imported.known(gone) : new Set<string>();
    const taken = new Map(others.map((link) => [link.alias, link]));
    const seen = new Map<string, string | null>();
    for (const [claim, row] of earlier) seen.set(claim, row.longUrl);
    const seenKeys = new Set<string>();
    return candidates.map((candidate) => {
      const { link, alias, claim, key, linkId } = candidate;
      if (seen.has(claim) || seenKeys.has(key)) {
        const isSame = seen.get(claim) === link.longUrl;
        const message = isSame ? 'An earlier row is just like it' : 'An earlier row has this alias';
        const verdict = isSame ? 'unchanged' : 'duplicate_in_file';
        return notWritten(toVerdictRow(link, verdict, message), null, link);
      }
      seen.set(claim, link.longUrl);
      seenKeys.add(key);
      const present = known.get(key);
      const isOfOther = present !== undefined && present !== linkId;
      // A sync updates links of its own import.
      const isAgain = of.file === null && isUpdating && ownById.has(linkId);
      if (isOfOther || isAgain) {
        const now = existing.get(isOfOther ? present : linkId);
        const tags = {
          present: now?.tags.flatMap((id) => tagSet.byId(id)?.name ?? []) ?? [],
          wanted: tagsOfLink(of, link),
        };
        const update = now && decideUpdate(now, link, decideLimits(link, isOwn), tags);
        const stored = isOfOther ? present : linkId;
        const isUpdated =
          update != null ||
          before.has(`${link.row}/${link.part}`) ||
          (isOfOther && isUpdating && isCountedAnew(of, link, totals.get(stored), isOwn));
        const row = {
          ...toVerdictRow(link, isUpdated ? 'updated' : 'unchanged', null),
          linkId: stored,
        };
        const tagNames = update?.tagNames ?? [];
        if (isOfOther || isUpdated)
          return { ...notWritten(row, claim, link), tagNames, ...(update != null && { update }) };
      }
      const mine = ownById.get(linkId);
      if (mine === undefined && deleted.has(linkId)) {
        const row = toVerdictRow(link, 'unchanged', 'It was deleted here after it was imported');
        return notWritten(row, claim, link);
      }
      const aliasHolder = alias === null ? undefined : taken.get(alias);
      const isTaken = aliasHolder !== undefined && aliasHolder.id !== linkId;
      const isRenamed = alias !== null && (mine === undefined ? isTaken : mine.alias !== alias);
      if (isTaken && mine === undefined && of.options.on_conflict !== 'rename') {
        const row = toVerdictRow(link, 'alias_taken', `Another link has the alias ${alias ?? ''}`);
        return notWritten(row, claim, link);
      }
      if (link.isProtected && of.options.protected === 'skip') {
        const message = 'It has a password that the file does not tell';
        return notWritten(toVerdictRow(link, 'protected_skipped', message), claim, link);
      }
      const verdict = isRenamed ? 'renamed' : link.isProtected ? 'protected_inactive' : 'created';
      const message = isRenamed ? `${alias} is taken: it gets another alias` : null;
      const storedAlias = mine?.alias ?? (isRenamed || alias === null ? freshAlias() : alias);
      const limits = decideLimits(link, isOwn);
      return {
        row: toVerdictRow(link, verdict, joinTexts(message, limits.message)),
        claim,
        ...pickHistory(link),
        link: this.newLink(of, candidate, storedAlias, limits),
        tagNames: tagsOfLink(of, link),
      };
    });
  }

  private newLink(
    dataImport: Import,
    { link, key, linkId }: CandidateRow,
    alias: string,
    { maxClicks, isUsedUp, isClosed }: Limits,
  ): NewLink {
    const isOff = link.isArchived || link.isProtected;
    return {
      ...DEFAULT_SETTINGS,
      id: linkId,
      alias,
      longUrl: link.longUrl,
      destinations: NO_DESTINATIONS,
      startsAt: null,
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
}

/** Stored counts are absent if all clicks were imported individually. */
function isCountedAnew(
  { options }: Import,
  link: SourceLink,
  stored: number | undefined,
  isOwn: boolean,
): boolean {
  if (options.history === 'none' || (isOwn && stored === undefined)) return false;
  return pickHistory(link).clicks !== (stored ?? 0);
}

/** Deterministic link id per import and key, so that a repeated step creates the link once. */
function derivedId(dataImport: Import, key: string): string {
  const text = `${dataImport.id}\n${dataImport.source}\n${key}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

function tagsOfLink(dataImport: Import, link: SourceLink): string[] {
  return distinctTagNames([...link.tagNames, ...dataImport.options.tags]).slice(
    0,
    MAX_TAGS_OF_LINK,
  );
}

function freshAlias(): string {
  for (;;) {
    const alias = V1_ALIASES.next();
    if (!isReserved(alias)) return alias;
  }
}

/** Imported single clicks use up the limit; other clicks lower it (docs/contract.md#22.3). */
function decideLimits(
  { maxClicks, clicks, singles = 0, settings }: SourceLink,
  isOwn: boolean,
): Limits {
  const own = isOwn ? Math.min(singles, clicks) : 0;
  const lost = clicks - own;
  if (maxClicks === null || clicks === 0) return { ...OPEN_LINK, maxClicks };
  const usedUp = { ...OPEN_LINK, isUsedUp: true, message: `Its ${maxClicks} clicks are used up` };
  if (lost >= maxClicks) return { ...usedUp, maxClicks };
  const left = maxClicks - lost;
  // Closed until its clicks arrive. Without countBots, some may not count towards the limit.
  if (own >= left && settings?.countBots !== false)
    return { ...usedUp, maxClicks: left, isClosed: true };
  const message = `${lost} of its ${maxClicks} clicks are used up: the limit is ${left}`;
  return { ...OPEN_LINK, maxClicks: left, message: lost > 0 ? message : null };
}

function toUnreadableRow({ row, problem }: UnreadableRow): ImportRow {
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

function toVerdictRow(link: SourceLink, verdict: ImportVerdict, message: string | null): ImportRow {
  const notes: readonly ImportNote[] = link.notes;
  return {
    row: link.row,
    part: link.part,
    alias: link.alias === null ? null : shown(link.alias),
    longUrl: link.longUrl.slice(0, MAX_IMPORTED_URL) || null,
    verdict,
    notes,
    message: joinTexts(message, link.message),
    linkId: null,
  };
}

/** Skips tags that exceed the account's cap. */
function noneOverCap(error: unknown): string[] {
  if (error instanceof TagCapError) return [];
  throw error;
}

function notWritten(row: ImportRow, claim: string | null, found: FoundRow): Judged {
  const history = 'problem' in found ? { clicks: 0 } : pickHistory(found);
  return { row, claim, ...history, link: null, tagNames: [] };
}

/** Past clicks: the units may add up to more than the reported total. */
function pickHistory({
  pastClicks,
  counts,
  visitsKey,
  linkId: sourceId,
}: SourceLink): Pick<ClaimingRow, 'clicks' | 'counts' | 'sourceId' | 'visitsKey'> {
  return {
    clicks: counts === undefined ? pastClicks : Math.max(pastClicks, clicksOfUnits(counts)),
    sourceId,
    ...(counts !== undefined && { counts }),
    ...(visitsKey !== undefined && { visitsKey }),
  };
}

function isGenerated({ alias, verdict }: ImportRow): boolean {
  return alias === null || verdict === 'renamed';
}

function settled(judged: Judged, outcome: Link | Error | undefined): ClaimingRow {
  const { row } = judged;
  if (outcome === undefined) return judged;
  if (outcome instanceof AliasTakenError) {
    return { ...judged, row: { ...row, verdict: 'alias_taken', message: outcome.message } };
  }
  if (outcome instanceof Error) throw outcome;
  const isRenamed = row.verdict === 'renamed';
  const message = isRenamed
    ? `${row.alias ?? ''} is taken: it is ${outcome.alias} here`
    : row.message;
  return { ...judged, row: { ...row, linkId: outcome.id, message } };
}
