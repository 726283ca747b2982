export const REPORT_REASONS = ['phishing', 'malware', 'spam', 'illegal_content', 'other'] as const;

export type ReportReason = (typeof REPORT_REASONS)[number];

/** Ways by which a link has reached the one who reports it. */
export const REPORT_VECTORS = ['sms', 'email', 'dm', 'social', 'web', 'other'] as const;

export type ReportVector = (typeof REPORT_VECTORS)[number];

export const REPORT_STATES = ['open', 'blocked', 'dismissed'] as const;

export type ReportState = (typeof REPORT_STATES)[number];

/** Links that have an open report: more than a few people can look through. */
export const MAX_OPEN_REPORTS = 10_000;
/** The newest texts of a report; others are counted. */
export const MAX_ENTRIES = 50;

/** The one who reports, as far as they say it. */
export interface Reporter {
  readonly accountId: string | null;
  readonly email: string | null;
  readonly org: string | null;
}

/** One of the times that a link was reported. */
export interface ReportEntry {
  readonly at: Date;
  readonly reason: ReportReason;
  readonly details: string | null;
  readonly vector: ReportVector | null;
  readonly reporter: Reporter;
}

/** How an admin has settled a report. */
export interface ReportEnd {
  readonly at: Date;
  /** Id of the admin; null = from the command line. */
  readonly by: string | null;
  readonly reason: string | null;
}

/** All that was said of a link until an admin settled it; a link has at most one open report. */
export interface Report {
  readonly id: string;
  readonly linkId: string;
  readonly state: ReportState;
  /** How often it was reported. */
  readonly count: number;
  readonly reasons: Readonly<Partial<Record<ReportReason, number>>>;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The newest first. */
  readonly entries: readonly ReportEntry[];
  readonly closed: ReportEnd | null;
}

/** An entry to be stored, and the link that it is about. */
export interface NewReportEntry {
  readonly linkId: string;
  readonly entry: ReportEntry;
}

/** A link that somebody reports, as they have written it. */
export interface ReportedItem extends Pick<ReportEntry, 'details' | 'reason' | 'vector'> {
  /** A code or a short URL. */
  readonly address: string;
}

export interface ReportSubmission {
  readonly items: readonly ReportedItem[];
  readonly reporter: Reporter;
}

export const ITEM_REFUSALS = ['invalid_input', 'not_found', 'duplicate_in_batch'] as const;

export interface RejectedItem {
  readonly index: number;
  /** The address as it came. */
  readonly input: string;
  readonly code: (typeof ITEM_REFUSALS)[number];
}

export interface SubmissionOutcome {
  readonly submissionId: string;
  readonly accepted: number;
  readonly rejected: readonly RejectedItem[];
}
