import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BlockGoneError } from '../../engines/click-engine/reading/click-reader';
import { DAY_MS } from '../../common/time';
import { inUnits } from '../../stores/imported-counts/count-units';
import {
  clicksOfUnits,
  type CountSeries,
  type ImportedCounts,
} from '../../stores/imported-counts/imported-counts';
import { ImportedCountsRepository } from '../../stores/imported-counts/imported-counts.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { type Import, type ImportRow, isWritten, MAX_SAMPLED } from '../import';
import type { RowHistory } from '../import.schema';
import { ImportsRepository } from '../imports.repository';
import { hasOwnClicks, type ImportReader, type VisitPage } from '../reading/import-reader';
import { importedAlias, type SourceLink } from '../source-link';
import { HistoryTally } from './history-tally';
import { CLICK_LABELS } from './visit-counts';
import { VisitRecorder } from './visit-recorder';

const MAX_NAMED = 3;
/** Attempts to read a link's clicks, as compaction may interrupt each. */
const SAMPLE_TRIES = 3;

interface Sampled {
  readonly row: ImportRow;
  readonly linkId: string;
  readonly stored: ImportedCounts | null;
  readonly clicks: HistoryTally;
  readonly counts: HistoryTally;
  /** Clicks in the source besides the link's total. */
  visits: number;
  link?: SourceLink;
  /** Whether the source's clicks may be as recent as live clicks. */
  isLate: boolean;
}

export interface ComparedSample {
  readonly sampled: number;
  readonly differences: number;
  readonly named: readonly string[];
}

/** Compares sampled links' history with an independent count (docs/contract.md#22.8). */
@Injectable()
export class HistorySample {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly links: LinksRepository,
    private readonly counts: ImportedCountsRepository,
    private readonly recorder: VisitRecorder,
  ) {}

  /** Skips service imports, since the service continues to count. */
  async compare(
    dataImport: Import,
    reader: ImportReader,
    checkLease: () => void,
  ): Promise<ComparedSample> {
    const isWanted = dataImport.file !== null && dataImport.options.history !== 'none';
    const chosen = isWanted ? await this.choose(dataImport, checkLease) : [];
    if (chosen.length === 0) return { sampled: 0, differences: 0, named: [] };
    await readLinks(dataImport, reader, chosen, checkLease);
    await this.readVisits(dataImport, reader, chosen, checkLease);
    const isOwn = hasOwnClicks(dataImport, reader);
    let sampled = 0;
    const found: string[] = [];
    for (const sample of chosen) {
      checkLease();
      if (sample.link === undefined || sample.isLate) continue;
      const problems = countDifferences(sample, sample.link, isOwn);
      if (isOwn) {
        const here = await this.clicksBefore(sample.linkId, dataImport.createdAt.getTime());
        problems.push(...here.differencesTo(sample.clicks));
      }
      // Checked last: the link may have been changed or removed while its clicks were read.
      if (!(await this.isUntouched(dataImport, sample.linkId))) continue;
      sampled++;
      const name = `/${sample.row.alias ?? sample.linkId}`;
      found.push(...problems.map((problem) => `${name}: ${problem}`));
    }
    await this.recorder.close();
    return { sampled, differences: found.length, named: found.slice(0, MAX_NAMED) };
  }

  /** Deterministic sample of the links with a history. */
  private async choose(dataImport: Import, checkLease: () => void): Promise<Sampled[]> {
    let best: { order: string; row: ImportRow; linkId: string }[] = [];
    let histories: RowHistory[] = [];
    do {
      histories = await this.imports.historiesAfter(dataImport.id, histories.at(-1)?.row ?? null);
      checkLease();
      for (const { row, total, taken } of histories) {
        if (row.linkId === null || !isWritten(row.verdict) || total + taken === 0) continue;
        const text = `${dataImport.id}/${row.row}/${row.part}`;
        const order = createHash('sha256').update(text).digest('hex');
        best.push({ order, row, linkId: row.linkId });
      }
      best = best.sort((a, b) => (a.order < b.order ? -1 : 1)).slice(0, MAX_SAMPLED);
    } while (histories.length > 0);
    const chosen: Sampled[] = [];
    for (const { row, linkId } of best) {
      if (!(await this.isUntouched(dataImport, linkId))) continue;
      const stored = await this.counts.findById(linkId);
      const tallies = { clicks: new HistoryTally(), counts: new HistoryTally() };
      chosen.push({ row, linkId, stored, ...tallies, visits: 0, isLate: false });
    }
    return chosen;
  }

  private async isUntouched(dataImport: Import, linkId: string): Promise<boolean> {
    const link = await this.links.findById(linkId);
    return link !== null && (link.updatedAt === null || link.updatedAt < dataImport.createdAt);
  }

  private async readVisits(
    dataImport: Import,
    reader: ImportReader,
    chosen: readonly Sampled[],
    checkLease: () => void,
  ): Promise<void> {
    const byKey = new Map(chosen.map((sample) => [sampleKey(sample), sample]));
    const isWanted = (text: string): boolean => {
      checkLease();
      return byKey.has(reader.hasSums === true ? text : aliasOrEmpty(text));
    };
    const isOwn = hasOwnClicks(dataImport, reader);
    let position: object | null = null;
    do {
      const page: VisitPage | undefined = await reader.visits?.(dataImport, position, isWanted);
      for (const { key, counts, clicks } of page?.counts ?? []) {
        const sample = byKey.get(key);
        if (sample === undefined) continue;
        sample.visits += clicks;
        addCounts(sample, counts);
      }
      for (const { row, at, ...visit } of page?.visits ?? []) {
        const sample = byKey.get(aliasOrEmpty(visit.alias));
        const isOther = row !== undefined && row !== sample?.row.row;
        if (sample === undefined || isOther || at === null || at < 0) continue;
        if (at >= dataImport.createdAt.getTime()) sample.isLate = true;
        sample.visits++;
        const click = await this.recorder.createClick({ ...visit, at }, at);
        if (isOwn) {
          sample.clicks.addClick(click);
          continue;
        }
        sample.counts.addUnit(at - (at % DAY_MS));
        for (const [name, labelOf] of Object.entries(CLICK_LABELS)) {
          sample.counts.add(name, labelOf(click));
        }
      }
      position = page?.next ?? null;
    } while (position !== null);
  }

  /** Stored clicks before the cutoff, which excludes live clicks. */
  private async clicksBefore(linkId: string, before: number): Promise<HistoryTally> {
    for (let attempt = 1; ; attempt++) {
      const tally = new HistoryTally();
      try {
        for await (const clicks of this.recorder.clicksOf(linkId)) {
          for (const click of clicks) if (click.at < before) tally.addClick(click);
        }
        return tally;
      } catch (error) {
        if (!(error instanceof BlockGoneError) || attempt >= SAMPLE_TRIES) throw error;
      }
    }
  }
}

async function readLinks(
  dataImport: Import,
  reader: ImportReader,
  chosen: readonly Sampled[],
  checkLease: () => void,
): Promise<void> {
  const left = new Map(chosen.map((sample) => [`${sample.row.row}/${sample.row.part}`, sample]));
  let position: object | null = null;
  let firstRow = 1;
  while (left.size > 0) {
    const page = await reader.page(dataImport, position, firstRow);
    checkLease();
    for (const found of page.rows) {
      if ('problem' in found) continue;
      const key = `${found.row}/${found.part}`;
      const sample = left.get(key);
      if (sample === undefined) continue;
      left.delete(key);
      sample.link = found;
      if (found.counts !== undefined) addCounts(sample, found.counts);
    }
    if (page.next === null) return;
    position = page.next;
    firstRow = page.nextRow;
  }
}

/** Converts to the units of the stored counts, which are longer if the document was full. */
function addCounts({ counts, stored }: Sampled, series: CountSeries): void {
  counts.addSeries(inUnits(series, stored?.granularity ?? series.granularity));
}

function sampleKey({ link, row }: Sampled): string {
  return link?.visitsKey ?? aliasOrEmpty(row.alias ?? '');
}

function aliasOrEmpty(text: string): string {
  const read = importedAlias(text);
  return 'alias' in read ? read.alias : '';
}

function countDifferences(
  { counts, stored, visits }: Sampled,
  { counts: ofLink, pastClicks }: SourceLink,
  isOwn: boolean,
): string[] {
  const total = Math.max(pastClicks, ofLink === undefined ? 0 : clicksOfUnits(ofLink));
  const expected = isOwn ? Math.max(0, total - visits) : Math.max(total, visits);
  const found = stored?.clicks ?? 0;
  const problems =
    expected === found ? [] : [`its counts have ${expected} clicks in the source, ${found} here`];
  if (stored === null) return problems;
  const here = new HistoryTally();
  here.addSeries(stored);
  return [...problems, ...here.differencesTo(counts)];
}
