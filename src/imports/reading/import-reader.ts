import type { Click } from '../../engines/click-engine/chunk/click';
import type { CountSeries } from '../../stores/imported-counts/imported-counts';
import type { Import } from '../store/import';
import type { SourceLink } from './source-link';

export interface UnreadableRow {
  readonly row: number;
  readonly problem: string;
}

export type FoundRow = SourceLink | UnreadableRow;

/** If `read` throws, returns a row whose problem names the error. */
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
  /** Milliseconds; null if the time is unreadable. */
  readonly at: number | null;
  /** IP address as given by the source; may be empty or unreadable. */
  readonly ip: string;
  readonly userAgent: string;
  readonly referrer: string;
  /** Country code from the source; null if the source has none. */
  readonly countryCode: string | null;
  /** The link's row number; set if several rows may have this alias. */
  readonly row?: number;
  /** Complete click from an export; otherwise the click is derived from the fields above. */
  readonly known?: KnownClick;
  /** Location names from the source, which take precedence over the GeoIP lookup. */
  readonly country?: string | null;
  readonly city?: string | null;
  readonly isBot?: boolean;
}

export interface KnownClick {
  readonly click: Omit<Click, 'at' | 'visitor'>;
  /** The visitor's two-part identity; null if unknown. */
  readonly visitor: readonly [string, string] | null;
}

export interface FoundCounts {
  readonly key: string;
  readonly counts: CountSeries;
  readonly clicks: number;
  /** Number of additional clicks whose times are unreadable. */
  readonly unread: number;
}

/** Visits in source order; a position always yields the same page. */
export interface VisitPage {
  readonly visits: readonly FoundVisit[];
  /** Visit sums per link; absent if the source lists individual visits. */
  readonly counts?: readonly FoundCounts[];
  /** Next page's position; null after the last page. */
  readonly next: object | null;
}

export const MAX_PAGE_VISITS = 10_000;

/** Maximum rows per step, because a step holds its rows in memory. */
export const MAX_PAGE_ROWS = 500;
/** A page ends with the first row that exceeds this many source bytes. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

export interface ReadPage {
  readonly rows: readonly FoundRow[];
  readonly nextRow: number;
  /** The next page's position, as a small JSON object; null after the last page. */
  readonly next: object | null;
  /** Number of rows in the whole source, if it reports it. */
  readonly total?: number;
}

/** A position yields the same page in any process, so an interrupted import can resume. */
export interface ImportReader {
  /**
   * @param firstRow number of the first unread row, counted from 1
   * @throws CurtailError with a status below 500 if the source is not in the declared format
   */
  page(dataImport: Import, position: object | null, firstRow: number): Promise<ReadPage>;

  /** Present if the source lists visits separately from links. */
  readonly visits?: VisitParts;

  readonly hasSums?: true;

  /** Present if the service lists visits only per link. */
  linkVisits?: LinkVisits;
}

/** Splits chronological visits into parts; all of a link's visits are in a single part. */
export interface VisitParts {
  /** Number of parts (at least 1); depends only on the source. */
  count(dataImport: Import): Promise<number>;
  /** @param part counted from 0 */
  page(dataImport: Import, part: number, position: object | null): Promise<VisitPage>;
}

/** Whether the source's individual visits are recorded as clicks. */
export function hasOwnClicks({ options }: Import, reader: ImportReader): boolean {
  const hasVisits = reader.visits !== undefined || reader.linkVisits !== undefined;
  return options.history === 'all' && hasVisits && reader.hasSums !== true;
}

/** A page of a link's visits, newest first. */
export interface VisitList {
  /** Total number of visits at the time of the response. */
  readonly total: number;
  /** Index of the page's first visit; the newest visit has index 0. */
  readonly first: number;
  readonly size: number;
  readonly visits: readonly FoundVisit[];
}

export interface VisitPages {
  /** Returns the page with this number (from 1), or null if the service has no such link. */
  readonly page: (number: number) => Promise<VisitList | null>;
  /** Creates the error for a list that changes too often to be read. */
  readonly unsteady: () => Error;
}

export type LinkVisits = (sourceId: string) => VisitPages;

/** Keeps rows for the domain selected in the options, and unreadable rows. */
export function wantedRows({ options }: Import, rows: readonly FoundRow[]): readonly FoundRow[] {
  const wanted = options.short_domain;
  if (wanted === null) return rows;
  return rows.filter((row) => 'problem' in row || row.domain === wanted);
}
