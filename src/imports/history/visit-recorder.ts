import { createHash } from 'node:crypto';
import { Injectable, OnApplicationShutdown } from '@nestjs/common';
import { type Click, NO_REDIRECT_MS, NO_VISITOR } from '../../engines/click-engine/chunk/click';
import { Enricher, VisitorHasher } from '../../clicks/recorder/enricher';
import { isRecordingPaused } from '../../clicks/recorder/recording-pause';
import type { VisitorKeyRepository } from '../../clicks/recorder/visitor-key.repository';
import { boundedColumns, clickBatchEntry, tallyEntry } from '../../clicks/store/click-batch';
import { type ClickDaysRepository, recentDays } from '../../clicks/store/click-days.repository';
import type { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { ClickStore, GENTLE } from '../../clicks/store/click-store';
import type { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import type { ClickWriter } from '../../engines/click-house/click-writer';
import type { RecordingOptions } from '../../config/options';
import { addressBytes, plainAddress } from '../../infrastructure/client-address/ip-address';
import { JobWaiting } from '../../infrastructure/jobs/job-kind';
import { countryName, GeoReader } from '../../infrastructure/geoip/geo.reader';
import type { LinksRepository } from '../../stores/links/links.repository';
import type { NodeLeaseRepository } from '../../clicks/recorder/node-lease.repository';
import type { Import, ImportRow } from '../store/import';
import type { FoundVisit } from '../reading/import-reader';
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
    await this.imported.clear(importId);
    while (await this.rows.clearRows(importId));
    await this.release(importId);
  }

  /** Returns the ids of imports that have rows or a node name. */
  async holders(): Promise<string[]> {
    const held = await this.nodes.findHolders(HOLDER);
    const ids = held.map((holder) => holder.slice(HOLDER.length));
    return [...new Set([...ids, ...(await this.rows.findImportIds())])];
  }
}

/** Bot name for clicks that only the source identifies as bot clicks. */
const UNNAMED_BOT = 'Bot';
/** Interval for checking whether a backup is still running. */
const BACKUP_PAUSE_MS = 3000;

export interface RecordedIn {
  readonly links: LinksRepository;
  readonly stores: ClickStoreRepository;
  readonly nodes: ImportNodes;
  readonly keys: VisitorKeyRepository;
  readonly home: ClickHomeRepository;
  readonly days: ClickDaysRepository;
}

interface Opened {
  readonly enricher: Enricher;
  readonly visitors: VisitorHasher;
  readonly store: ClickStore;
  readonly writer: ClickWriter | null;
}

/** A page of clicks; to record it again, pass the same number. */
export interface VisitBatch {
  readonly number: number;
  readonly byLink: ReadonlyMap<string, readonly Click[]>;
}

/** Records clicks under the import's node, so that a repeated page changes nothing. */
@Injectable()
export class VisitRecorder implements OnApplicationShutdown {
  private opened?: Promise<Opened>;

  constructor(
    private readonly options: RecordingOptions,
    private readonly database: RecordedIn,
  ) {}

  /**
   * The click contains a visitor hash instead of the IP address.
   * @param campaign the destination's UTM pairs, because sources do not store those of the visit
   */
  async createClick(visit: FoundVisit, at: number, campaign: string): Promise<Click> {
    const { enricher, visitors } = await this.open();
    if (visit.known !== undefined) {
      const { click, visitor } = visit.known;
      return { ...click, at, visitor: visitor === null ? NO_VISITOR : visitors.hash(...visitor) };
    }
    const { ip, userAgent, referrer, countryCode, isBot = false } = visit;
    const hasAddress = addressBytes(plainAddress(ip)) !== null;
    const click = enricher.enrich({
      at,
      linkId: '',
      ip,
      userAgent,
      referer: referrer,
      query: campaign,
      redirectMs: 0,
      slot: false,
      flags: 0,
      variant: '',
    });
    const named = visit.country ?? null;
    const known = countryCode === null ? null : countryName(countryCode);
    const country = click.country === null ? (named ?? known) : null;
    return {
      ...click,
      redirectMs: NO_REDIRECT_MS,
      ...(!hasAddress && { visitor: NO_VISITOR }),
      ...(country !== null && { country, countryCode }),
      ...(visit.city != null && click.city === null && { city: visit.city }),
      ...(isBot && click.botName === null && { botName: UNNAMED_BOT }),
    };
  }

  /** Resolves once the page is stored durably. */
  async record(dataImport: Import, { number, byLink }: VisitBatch): Promise<void> {
    const { store, writer } = await this.open();
    this.refuseDuringBackup();
    await this.database.home.check(this.options.clickHouse);
    const node = await this.database.nodes.findOrClaimName(dataImport.id);
    const links = [...byLink];
    if (writer !== null) {
      const rows = links.map(([linkId, clicks]) => ({ linkId, chunks: boundedColumns(clicks) }));
      await writer.record({ node, number, links: rows });
    }
    const entryOf = writer === null ? clickBatchEntry : tallyEntry;
    const entries = links.map(([linkId, clicks]) => entryOf(linkId, clicks));
    const refused = await store.record({ node, number, entries });
    const days = recentDays(links.flatMap(([, clicks]) => clicks.map(({ at }) => at)));
    await this.database.days.add({ node, number, days });
    if (refused.length > 0)
      throw new Error(`The database rejects clicks of ${refused.length} links`);
  }

  async countClicks(linkIds: readonly string[]): Promise<number> {
    const totals = await this.database.stores.findTotals(linkIds);
    return totals.reduce((sum, { total_clicks: clicks }) => sum + clicks, 0);
  }

  /** Keeps the node name, because repeated pages must still be recognised by it. */
  async close(): Promise<void> {
    await (await this.opened)?.writer?.close();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  private open(): Promise<Opened> {
    this.opened ??= this.openAll().catch((error: unknown) => {
      this.opened = undefined;
      throw error;
    });
    return this.opened;
  }

  private async openAll(): Promise<Opened> {
    const { geoipDb, visitorSecret, clickHouse } = this.options;
    const { stores, links, home, keys } = this.database;
    await stores.ensureIndexes();
    await home.claim(clickHouse === null ? 'mongodb' : 'clickhouse');
    const key = await keys.findOrMake(visitorSecret);
    const visitors = new VisitorHasher(key);
    const enricher = new Enricher(GeoReader.open(geoipDb ?? undefined), visitors);
    if (clickHouse === null) {
      const store = new ClickStore(stores, links, undefined, GENTLE);
      return { enricher, visitors, store, writer: null };
    }
    // Loaded on demand, because only installations with ClickHouse need the client.
    const [{ ClickHouse }, { ClickTable }, { ClickWriter: Writer }, { ClickCare }] =
      await Promise.all([
        import('../../engines/click-house/click-house.js'),
        import('../../engines/click-house/click-table.js'),
        import('../../engines/click-house/click-writer.js'),
        import('../../engines/click-house/click-care.js'),
      ]);
    const table = new ClickTable(new ClickHouse(clickHouse));
    const care = new ClickCare(table);
    const store = new ClickStore(stores, links, (gone) => care.remove(gone), GENTLE);
    return { enricher, visitors, store, writer: new Writer(table) };
  }

  /** Stored clicks must not change while a backup reads them. */
  private refuseDuringBackup(): void {
    if (!isRecordingPaused(this.options.dataDir)) return;
    const error = 'A backup is running: clicks are recorded afterwards';
    throw new JobWaiting(BACKUP_PAUSE_MS, { code: 'conflict', error });
  }
}
