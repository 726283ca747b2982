import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { NodeLeaseRepository } from '../../clicks/recorder/node-lease.repository';
import type { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import type { ImportRow } from '../store/import';
import type { ImportedLinksRepository } from '../store/imported-links.repository';
import type { ImportRowsRepository } from '../store/import-rows.repository';

const MAX_NAMES = 10;
const HOLDER = 'import/';

export type ForgottenRows = Pick<ImportRow, 'row' | 'part'> | null;

/** Node names for recording imported clicks; repeated pages of clicks are recognised by node. */
@Injectable()
export class ImportNodes {
  constructor(
    private readonly rows: ImportRowsRepository,
    private readonly imported: ImportedLinksRepository,
    private readonly stores: ClickStoreRepository,
    private readonly nodes: NodeLeaseRepository,
  ) {}

  /** Claims a node name for the import, so that no click recorder can use that name. */
  async findOrClaimName(importId: string): Promise<string> {
    const holder = `${HOLDER}${importId}`;
    const held = await this.nodes.findHeldBy(holder);
    if (held !== null) return held._id;
    for (let attempt = 0; attempt < MAX_NAMES; attempt++) {
      const text = `${importId}.${attempt}`;
      const name = createHash('sha256').update(text).digest('hex').slice(0, 8);
      // A released name is not reused: its page numbers may have been higher than the import's.
      if (await this.nodes.claim(name, holder)) return name;
    }
    throw new Error("No node name is available for this import's clicks");
  }

  /** Call only after the import's last page is recorded. @returns null after the last row */
  async forgetSome(importId: string, after: ForgottenRows): Promise<ForgottenRows> {
    const held = await this.nodes.findHeldBy(`${HOLDER}${importId}`);
    if (held === null) return null;
    const rows = await this.rows.historiesAfter(importId, after);
    const ids = rows.flatMap(({ row: { linkId } }) => linkId ?? []);
    // Visits to links from API services are counted in `import_links`, not in the rows.
    const ofService = await this.imported.taken(ids);
    const recorded = rows.flatMap(({ row: { linkId }, taken }) =>
      linkId !== null && (taken > 0 || ofService.has(linkId)) ? [linkId] : [],
    );
    await this.stores.forgetNode(held._id, recorded);
    return rows.at(-1)?.row ?? null;
  }

  async release(importId: string): Promise<void> {
    await this.nodes.removeHeldBy(`${HOLDER}${importId}`);
  }

  async removeRows(importId: string): Promise<void> {
    let after: ForgottenRows = null;
    do after = await this.forgetSome(importId, after);
    while (after !== null);
    while (await this.rows.clearRows(importId));
    await this.imported.clear(importId);
    await this.release(importId);
  }

  async holders(): Promise<string[]> {
    const held = await this.nodes.findHolders(HOLDER);
    return held.map((holder) => holder.slice(HOLDER.length));
  }
}
