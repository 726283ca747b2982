import { Injectable } from '@nestjs/common';
import { V1_ALIASES } from '../../links/making/alias';
import { createLinks } from '../../links/making/link-creation';
import { AliasesExhaustedError } from '../../links/making/links.errors';
import { LinkCache } from '../../links/cache/link-cache';
import type { Link } from '../../stores/links/link';
import { AliasTakenError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { TagCapError } from '../../stores/tags/tags.errors';
import { distinctTagNames } from '../../stores/tags/tag';
import type { Import } from '../store/import';
import type { ClaimingRow } from '../store/import.schema';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { type Judged, withNewAlias } from './row.rules';

const GENERATED = { domainId: null, aliases: V1_ALIASES };

/** Maximum attempts to update a link that changes between the read and the write. */
const MAX_CONFLICTING_CHANGES = 3;

@Injectable()
export class RowWriter {
  constructor(
    private readonly rows: ImportRowsRepository,
    private readonly links: LinksRepository,
    private readonly reads: LinkReads,
    private readonly tags: AccountTags,
    private readonly cache: LinkCache,
  ) {}

  /** Creates the links; if a link cannot be created, the row's verdict says why. */
  async write(of: Import, judged: readonly Judged[]): Promise<ClaimingRow[]> {
    const updates = judged.filter(({ row }) => row.verdict === 'updated');
    const creations = judged.filter(({ link }) => link !== null);
    const tagged = [...creations, ...updates].flatMap(({ tagNames }) => tagNames);
    const names = distinctTagNames(tagged);
    // Tags are created one at a time, so that only tags beyond the limit fail.
    const ids = new Map<string, string>();
    for (const name of names) {
      const [id] = await this.tags.idsFor(of.ownerId, [name]).catch(noneOverCap);
      if (id !== undefined) ids.set(name.toLowerCase(), id);
    }
    const tagIds = (given: readonly string[]): string[] => [
      ...new Set(given.flatMap((name) => ids.get(name.toLowerCase()) ?? [])),
    ];
    const requests = judged.flatMap(({ link, tagNames }) =>
      link === null
        ? []
        : { link: { ...link, tags: tagIds(tagNames) }, alias: link.alias, ...GENERATED },
    );
    const outcomes = await createLinks(this.links, requests, new Date());
    let next = 0;
    const rows = judged.map((judgedRow) =>
      judgedRow.link === null ? judgedRow : settled(judgedRow, outcomes[next++]),
    );
    await this.writeUpdates(of, updates, tagIds);
    return rows;
  }

  /** Stores verdicts before links, so that a repeated step does not lose the `updated` verdict. */
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

/** Skips tags beyond the account's limit. */
function noneOverCap(error: unknown): string[] {
  if (error instanceof TagCapError) return [];
  throw error;
}

function settled(judged: Judged, outcome: Link | Error | undefined): ClaimingRow {
  const { row } = judged;
  if (outcome === undefined) return judged;
  if (outcome instanceof AliasTakenError || outcome instanceof AliasesExhaustedError) {
    return { ...judged, row: { ...row, verdict: 'alias_taken', message: outcome.message } };
  }
  if (outcome instanceof Error) throw outcome;
  const isRenamed = row.verdict === 'renamed';
  const message = isRenamed ? withNewAlias(row.message, outcome.alias) : row.message;
  return { ...judged, row: { ...row, linkId: outcome.id, message } };
}
