import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NodeLeaseRepository } from '../../clicks/recorder/node-lease.repository';
import type { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import type { ImportRow } from '../import';
import type { ImportedLinksRepository } from '../imported-links.repository';
import type { ImportsRepository } from '../imports.repository';

/** Names that are tried for an import, of which the first is nobody else's nearly always. */
const MAX_NAMES = 10;
const HOLDER = 'import/';

/** The last row whose link was looked at; null before the first. */
export type ForgottenRows = Pick<ImportRow, 'row' | 'part'> | null;

/**
 * Names of nodes under which clicks of imports are recorded, each held by a job from the first page of
 * clicks on. By a name, a page that is recorded again is known; once its import has ended, what click
 * stores know of it goes (docs/contract.md#22.6).
 */
@Injectable()
export class ImportNodes {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly imported: ImportedLinksRepository,
    private readonly stores: ClickStoreRepository,
    private readonly nodes: NodeLeaseRepository,
  ) {}

  /** The name of an import, which is held from here on, so that no recorder takes it. */
  async findOrClaimName(importId: string): Promise<string> {
    const holder = `${HOLDER}${importId}`;
    const held = await this.nodes.findHeldBy(holder);
    if (held !== null) return held._id;
    for (let attempt = 0; attempt < MAX_NAMES; attempt++) {
      const text = `${importId}.${attempt}`;
      const name = createHash('sha256').update(text).digest('hex').slice(0, 8);
      // One that was given back may have had higher numbers.
      if (await this.nodes.claim(name, holder)) return name;
    }
    throw new Error('No name is free for the clicks of this import');
  }

  /**
   * Makes click stores of some rows forget which pages they have. No page of the import is to be
   * recorded again from then on.
   *
   * @returns where to go on; null once no row is left, or no name is held
   */
  async forgetSome(importId: string, after: ForgottenRows): Promise<ForgottenRows> {
    const held = await this.nodes.findHeldBy(`${HOLDER}${importId}`);
    if (held === null) return null;
    const rows = await this.imports.historiesAfter(importId, after);
    const ids = rows.flatMap(({ row: { linkId } }) => linkId ?? []);
    // Links of a service have theirs noted by themselves.
    const ofService = await this.imported.taken(ids);
    const recorded = rows.flatMap(({ row: { linkId }, taken }) =>
      linkId !== null && (taken > 0 || ofService.has(linkId)) ? [linkId] : [],
    );
    await this.stores.forgetNode(held._id, recorded);
    return rows.at(-1)?.row ?? null;
  }

  /** Gives the name of an import up, once click stores have forgotten it. */
  async release(importId: string): Promise<void> {
    await this.nodes.removeHeldBy(`${HOLDER}${importId}`);
  }

  /** Removes rows of an import that is removed, and what click stores know of it. */
  async removeRows(importId: string): Promise<void> {
    let after: ForgottenRows = null;
    do after = await this.forgetSome(importId, after);
    while (after !== null);
    while (await this.imports.clearRows(importId));
    await this.imported.clear(importId);
    await this.release(importId);
  }

  /** Ids of the imports that hold names. */
  async holders(): Promise<string[]> {
    const held = await this.nodes.findHolders(HOLDER);
    return held.map((holder) => holder.slice(HOLDER.length));
  }
}
