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
import type { Import } from '../store/import';
import type { FoundVisit } from '../reading/import-reader';
import type { ImportNodes } from './import-nodes';

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
