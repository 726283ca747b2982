import { Injectable } from '@nestjs/common';
import { V1_ALIASES } from '../../links/making/alias';
import { LinkCache } from '../../links/cache/link-cache';
import type { Link, NewLink } from '../../stores/links/link';
import { AliasTakenError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { TagCapError } from '../../stores/tags/tags.errors';
import { distinctTagNames } from '../../stores/tags/tag';
import type { Import, ImportRow } from '../store/import';
import type { ClaimingRow } from '../store/import.schema';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { freshAlias, type Judged } from './row.rules';

/** Maximum concurrent changes between reading a link and updating it. */
const MAX_CONFLICTING_CHANGES = 3;

/** Creates and updates the links of rows. */
@Injectable()
export class RowWriter {
  constructor(
    private readonly rows: ImportRowsRepository,
    private readonly links: LinksRepository,
    private readonly reads: LinkReads,
    private readonly tags: AccountTags,
    private readonly cache: LinkCache,
  ) {}

  /** Creates the links; a row whose link cannot be created gets the matching verdict. */
  async write(of: Import, judged: readonly Judged[]): Promise<ClaimingRow[]> {
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
    await this.rows.saveRows(dataImport.id, judged);
    const aliases: string[] = [];
    for (const { update } of judged) {
      if (update === undefined) continue;
      const { change, tagNames } = update;
      const whole = { ...change, ...(tagNames !== null && { tags: idsOf(tagNames) }) };
      let link: Link | null = update.before;
      for (let attempt = 0; attempt < MAX_CONFLICTING_CHANGES && link !== null; attempt++) {
        const changed = await this.links.change(link, whole, new Date(), false);
        link = changed === null ? await this.reads.findById(link.id) : null;
        if (changed !== null) aliases.push(changed.alias);
      }
    }
    if (aliases.length > 0) await this.cache.invalidate(...aliases);
  }
}

/** Skips tags that exceed the account's cap. */
function noneOverCap(error: unknown): string[] {
  if (error instanceof TagCapError) return [];
  throw error;
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
    ? `${row.alias ?? ''} is taken: the link is ${outcome.alias} here`
    : row.message;
  return { ...judged, row: { ...row, linkId: outcome.id, message } };
}
