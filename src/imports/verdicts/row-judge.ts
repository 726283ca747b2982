import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { foldKey } from '../../stores/links/alias-form';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { type FoundRow, hasOwnClicks } from '../reading/import-reader';
import {
  importedAlias,
  joinTexts,
  keyOfLink,
  type SourceLink,
  type SourceSettings,
  validAlias,
  withoutHistory,
} from '../reading/source-link';
import type { Import, ImportRow } from '../store/import';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { ImportedDestinations, type ReadSource } from './imported-destinations';
import {
  type CandidateRow,
  decideLimits,
  decideUpdate,
  derivedId,
  isRecounted,
  type Judged,
  newLink,
  notWritten,
  pickHistory,
  renamedText,
  tagsOfLink,
  toUnreadableRow,
  toVerdictRow,
} from './row.rules';

export interface RowPart extends ReadSource {
  readonly rows: readonly FoundRow[];
  readonly first: number;
}

/** Determines row verdicts in batches (docs/contract.md#22.3). */
@Injectable()
export class RowJudge {
  constructor(
    private readonly rows: ImportRowsRepository,
    private readonly imported: ImportedLinksRepository,
    private readonly links: LinkReads,
    private readonly counts: ImportedCountsRepository,
    private readonly destinations: ImportedDestinations,
    private readonly tags: AccountTags,
  ) {}

  /** Clears cached destinations, because the source may have changed since the last pass. */
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

  /** Returns the normalised link, or a row with the verdict if the link is refused. */
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
    const message = `Skipped because of their destinations: ${refused.join(', ')}`;
    const notes = [...new Set([...link.notes, 'feature_dropped' as const])];
    return { ...link, settings, notes, message: joinTexts(link.message, message) };
  }

  private async toCandidate(
    dataImport: Import,
    link: SourceLink,
    first: number,
    bare: Map<string, number>,
  ): Promise<CandidateRow> {
    const alias = link.alias === null ? null : validAlias(link.alias);
    const claim = alias ?? (await this.bareClaim(dataImport, link.longUrl, first, bare));
    const known = keyOfLink(dataImport.source, link, alias);
    const key = known ?? `${claim.split('#')[1] ?? ''}#${link.longUrl.slice(0, 500)}`;
    return { link, alias, key, claim, linkId: derivedId(dataImport, key, link.row) };
  }

  /** The claim for a row without an alias: its index among rows with the same destination. */
  private async bareClaim(
    dataImport: Import,
    longUrl: string,
    first: number,
    bare: Map<string, number>,
  ): Promise<string> {
    const start = ` ${createHash('sha256').update(longUrl).digest('hex').slice(0, 24)}#`;
    let count = bare.get(start);
    if (count === undefined) {
      const last = await this.rows.lastClaim(dataImport.id, start, first);
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
    // Queries run one at a time: loading two database cores would slow down redirects.
    const earlier = await this.rows.claimed(of.id, claims, first);
    const own = await this.links.findInOrder(candidates.map(({ linkId }) => linkId));
    const known = await this.links.findBySource(of.ownerId, of.source, keys);
    const taken = await this.links.findHolders(aliases);
    const isUpdating = of.options.on_existing === 'update';
    const isOwn = hasOwnClicks(of, part.reader);
    const [imported, updated, tagSet, totals] = await Promise.all([
      isUpdating ? this.links.findInOrder([...known.values()]) : [],
      isUpdating
        ? this.rows.rowsWith(
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
    // Aliases of links to be created, by folded alias.
    const created = new Map<string, string>();
    const seen = new Map<string, string | null>();
    for (const [claim, row] of earlier) seen.set(claim, row.longUrl);
    const seenKeys = new Set<string>();
    return candidates.map((candidate) => {
      const { link: read, alias, claim, key, linkId } = candidate;
      if (seen.has(claim) || seenKeys.has(key)) {
        const isSame = seen.get(claim) === read.longUrl;
        const message = isSame ? 'An earlier row is identical' : 'An earlier row has this alias';
        const verdict = isSame ? 'unchanged' : 'duplicate_in_file';
        return notWritten(toVerdictRow(read, verdict, message), null, read);
      }
      seen.set(claim, read.longUrl);
      seenKeys.add(key);
      const present = known.get(key);
      const isOfOther = present !== undefined && present !== linkId;
      const now = existing.get(present ?? linkId);
      const mine = ownById.get(linkId);
      const link = (now ?? mine)?.clicksDeletedAt == null ? read : withoutHistory(read);
      // A sync updates links that this import created in an earlier run.
      const isAgain = of.file === null && isUpdating && ownById.has(linkId);
      if (isOfOther || isAgain) {
        const tags = {
          present: now?.tags.flatMap((id) => tagSet.byId(id)?.name ?? []) ?? [],
          wanted: tagsOfLink(of, link),
        };
        const update = now && decideUpdate(now, link, decideLimits(link, isOwn), tags);
        const stored = isOfOther ? present : linkId;
        const isUpdated =
          update != null ||
          before.has(`${link.row}/${link.part}`) ||
          (isOfOther && isUpdating && isRecounted(of, link, totals.get(stored), isOwn));
        const row = {
          ...toVerdictRow(link, isUpdated ? 'updated' : 'unchanged', null),
          linkId: stored,
        };
        const tagNames = update?.tagNames ?? [];
        if (isOfOther || isUpdated)
          return { ...notWritten(row, claim, link), tagNames, ...(update != null && { update }) };
      }
      if (mine === undefined && deleted.has(linkId)) {
        const row = toVerdictRow(link, 'unchanged', 'It was deleted here after it was imported');
        return notWritten(row, claim, link);
      }
      const aliasHolder = alias === null ? undefined : taken.get(alias);
      const isTaken = aliasHolder !== undefined && aliasHolder.id !== linkId;
      const folded = alias !== null && this.links.ignoresCase ? foldKey(alias) : '';
      const holder = isTaken ? aliasHolder.alias : created.get(folded);
      const isRenamed =
        alias !== null && (mine === undefined ? holder !== undefined : mine.alias !== alias);
      if (holder !== undefined && mine === undefined && of.options.on_conflict !== 'rename') {
        const message = `Another link has the alias ${holder}${holder === alias ? '' : ': only the case differs'}`;
        return notWritten(toVerdictRow(link, 'alias_taken', message), claim, link);
      }
      if (link.isProtected && of.options.protected === 'skip') {
        const message = 'It has a password that the source does not contain';
        return notWritten(toVerdictRow(link, 'protected_skipped', message), claim, link);
      }
      const verdict = isRenamed ? 'renamed' : link.isProtected ? 'protected_inactive' : 'created';
      const message = isRenamed ? renamedText(alias, holder) : null;
      if (folded !== '' && !isRenamed) created.set(folded, alias ?? '');
      const limits = decideLimits(link, isOwn);
      return {
        row: toVerdictRow(link, verdict, joinTexts(message, limits.message)),
        claim,
        ...pickHistory(link),
        link: newLink(of, candidate, isRenamed ? null : alias, limits),
        tagNames: tagsOfLink(of, link),
      };
    });
  }
}
