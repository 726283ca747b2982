import type { Click } from '../../engines/click-engine/click';
import type { CountSeries } from '../../stores/imported-counts/imported-counts';
import type { Import } from '../import';
import type { SourceLink } from '../source-link';

/** A row that cannot be read. */
export interface UnreadableRow {
  readonly row: number;
  readonly problem: string;
}

export type FoundRow = SourceLink | UnreadableRow;

/** Reads the text of a row; an error that `read` throws is a fault of the row. */
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

/** A visit as a source tells it. */
export interface FoundVisit {
  readonly alias: string;
  /** Milliseconds; null where the time cannot be read. */
  readonly at: number | null;
  /** Empty, or unreadable, where nobody knows it. */
  readonly ip: string;
  readonly userAgent: string;
  readonly referrer: string;
  /** The one that the source tells; null without one. */
  readonly countryCode: string | null;
  /** Number of the row of its link, where several may have the alias. */
  readonly row?: number;
  /** The click that it was there; absent where it is to be found out from what is above. */
  readonly known?: KnownClick;
  /** Names of the place, by the source; they are not looked up then. */
  readonly country?: string | null;
  readonly city?: string | null;
  /** Whether the source takes the visitor for a bot. */
  readonly isBot?: boolean;
}

/** A visit whose click is known, but for its visitor. */
export interface KnownClick {
  readonly click: Omit<Click, 'at' | 'visitor'>;
  /** By which visitors are told apart, in two parts; null for one who is not. */
  readonly visitor: readonly [string, string] | null;
}

/** Visits of a link that a source tells as sums. */
export interface FoundCounts {
  /** `visitsKey` of the link. */
  readonly key: string;
  readonly counts: CountSeries;
  readonly clicks: number;
  /** Clicks beside them whose time cannot be read. */
  readonly unread: number;
}

/** Some visits of a source, in its order; the same position gives the same ones. */
export interface VisitPage {
  readonly visits: readonly FoundVisit[];
  /** Sums of visits, each link's together; absent where the source has single ones. */
  readonly counts?: readonly FoundCounts[];
  /** Null at the end. */
  readonly next: object | null;
}

/** Visits that one step takes at most. */
export const MAX_PAGE_VISITS = 10_000;

/** Rows that one step takes at most, which holds them in memory. */
export const MAX_PAGE_ROWS = 500;
/** Bytes of a source after which a page takes no further row. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Some rows of a source, in its order. */
export interface ReadPage {
  readonly rows: readonly FoundRow[];
  /** Number of the first row after them. */
  readonly nextRow: number;
  /** Where the page after this one begins, as JSON of some hundred bytes; null at the end. */
  readonly next: object | null;
}

/**
 * Reads the links of one kind of source. The same position gives the same page, in whatever process,
 * which is what lets an import go on after a kill.
 */
export interface ImportReader {
  /**
   * The page at a position that an earlier page named, or the first one for null.
   *
   * @param firstRow number of the first row that is not read yet, counted from 1
   * @throws CurtailError of a status below 500 for a source that is not what was said
   */
  page(dataImport: Import, position: object | null, firstRow: number): Promise<ReadPage>;

  /**
   * The same of visits, of the aliases (or `visitsKey`) that are wanted; absent where a source has none
   * apart from its links.
   */
  visits?(
    dataImport: Import,
    position: object | null,
    isWanted: (key: string) => boolean,
  ): Promise<VisitPage>;

  /** Whether visits are told as sums; absent for single ones. */
  readonly hasSums?: true;

  /** Visits of links, each for itself; of services that do not list them all together. */
  linkVisits?: LinkVisits;

  /** Visits that lie in the order of time, by parts that have all of some links; absent without. */
  readonly visitParts?: VisitParts;
}

/** The visits of a source by parts, each of which has all of some links. */
export interface VisitParts {
  /** By the source alone, at least 1. */
  count(dataImport: Import): Promise<number>;
  /** Like `visits`, of a part, counted from 0. */
  page(dataImport: Import, part: number, position: object | null): Promise<VisitPage>;
}

/** Whether single clicks of the source become clicks of ours. */
export function hasOwnClicks({ options }: Import, reader: ImportReader): boolean {
  const hasVisits = reader.visits !== undefined || reader.linkVisits !== undefined;
  return options.history === 'all' && hasVisits && reader.hasSums !== true;
}

/** A page of the visits of a link, the newest first. */
export interface VisitList {
  /** Number of all visits when the page was answered. */
  readonly total: number;
  /** Place of the first visit of the page, the newest of all having 0. */
  readonly first: number;
  /** Visits that a page has. */
  readonly size: number;
  readonly visits: readonly FoundVisit[];
}

/** The visits of one link, as its service lists them. */
export interface VisitPages {
  /** The page with a number from 1 on; null where the service does not know the link any more. */
  readonly page: (number: number) => Promise<VisitList | null>;
  /** The error of a list that cannot be read to its end. */
  readonly unsteady: () => Error;
}

/** Visits of one link of a service, by its name there. */
export type LinkVisits = (sourceId: string) => VisitPages;

/** Rows of the domain that was asked for; those that cannot be read are of any. */
export function wantedRows({ options }: Import, rows: readonly FoundRow[]): readonly FoundRow[] {
  const wanted = options.short_domain;
  if (wanted === null) return rows;
  return rows.filter((row) => 'problem' in row || row.domain === wanted);
}
