import type { Click } from '../../engines/click-engine/chunk/click';
import type { CountSeries } from '../../stores/imported-counts/imported-counts';
import type { Import } from '../store/import';
import type { SourceLink } from './source-link';

export interface UnreadableRow {
  readonly row: number;
  readonly problem: string;
}

export type FoundRow = SourceLink | UnreadableRow;

/** An error thrown by `read` becomes the row's problem. */
export async function rowsOrProblem(
  row: number,
  read: () => FoundRow[] | Promise<FoundRow[]>,
): Promise<FoundRow[]> {
  try {
    return await read();
  } catch (error) {
    const name = error instanceof Error ? error.name : 'an error';
    return [{ row, problem: `cannot be read (${name})` }];
  }
}

export interface FoundVisit {
  readonly alias: string;
  /** Milliseconds; null for an unreadable time. */
  readonly at: number | null;
  /** Empty or unreadable if unknown. */
  readonly ip: string;
  readonly userAgent: string;
  readonly referrer: string;
  /** Code that the source reports; null if missing. */
  readonly countryCode: string | null;
  /** Row number of its link, if several rows may have the alias. */
  readonly row?: number;
  /** The original click; absent if it is derived from the fields above. */
  readonly known?: KnownClick;
  /** Location names from the source, which replace the look-up. */
  readonly country?: string | null;
  readonly city?: string | null;
  readonly isBot?: boolean;
}

export interface KnownClick {
  readonly click: Omit<Click, 'at' | 'visitor'>;
  /** Two-part visitor identity; null if unknown. */
  readonly visitor: readonly [string, string] | null;
}

export interface FoundCounts {
  readonly key: string;
  readonly counts: CountSeries;
  readonly clicks: number;
  /** Additional clicks with unreadable times. */
  readonly unread: number;
}

/** Visits in source order; the same position always yields the same page. */
export interface VisitPage {
  readonly visits: readonly FoundVisit[];
  /** Sums of visits, grouped by link; absent for single visits. */
  readonly counts?: readonly FoundCounts[];
  /** Null at the end. */
  readonly next: object | null;
}

export const MAX_PAGE_VISITS = 10_000;

/** Maximum rows per step; they are held in memory. */
export const MAX_PAGE_ROWS = 500;
/** Source bytes after which a page accepts no further row. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

export interface ReadPage {
  readonly rows: readonly FoundRow[];
  readonly nextRow: number;
  /** Position of the next page, JSON of some hundred bytes; null at the end. */
  readonly next: object | null;
}

/** A position yields the same page in any process, so that imports can resume after a kill. */
export interface ImportReader {
  /**
   * @param firstRow number of the first unread row, counted from 1
   * @throws CurtailError with a status below 500 if the source is not of the declared format
   */
  page(dataImport: Import, position: object | null, firstRow: number): Promise<ReadPage>;

  /** If the source lists visits separately. */
  readonly visits?: VisitParts;

  readonly hasSums?: true;

  /** For services that list visits per link only. */
  linkVisits?: LinkVisits;
}

/** Chronological visits are split into parts, each with all visits of its links. */
export interface VisitParts {
  /** Depends on the source only; at least 1. */
  count(dataImport: Import): Promise<number>;
  /** @param part counted from 0 */
  page(dataImport: Import, part: number, position: object | null): Promise<VisitPage>;
}

/** Whether the source's single clicks become our clicks. */
export function hasOwnClicks({ options }: Import, reader: ImportReader): boolean {
  const hasVisits = reader.visits !== undefined || reader.linkVisits !== undefined;
  return options.history === 'all' && hasVisits && reader.hasSums !== true;
}

/** A page of a link's visits, newest first. */
export interface VisitList {
  /** Number of all visits at the time of the response. */
  readonly total: number;
  /** Index of the page's first visit; the newest visit has 0. */
  readonly first: number;
  readonly size: number;
  readonly visits: readonly FoundVisit[];
}

export interface VisitPages {
  /** Page by number, from 1; null if the service no longer knows the link. */
  readonly page: (number: number) => Promise<VisitList | null>;
  /** Error for a list that changes too often to be read. */
  readonly unsteady: () => Error;
}

export type LinkVisits = (sourceId: string) => VisitPages;

/** Rows of the requested domain, and unreadable rows. */
export function wantedRows({ options }: Import, rows: readonly FoundRow[]): readonly FoundRow[] {
  const wanted = options.short_domain;
  if (wanted === null) return rows;
  return rows.filter((row) => 'problem' in row || row.domain === wanted);
}
