export const REPORT_REASONS = ['phishing', 'malware', 'spam', 'illegal_content', 'other'] as const;

export type ReportReason = (typeof REPORT_REASONS)[number];

/** How the reporter received the link. */
export const REPORT_VECTORS = ['sms', 'email', 'dm', 'social', 'web', 'other'] as const;

export type ReportVector = (typeof REPORT_VECTORS)[number];

export const REPORT_STATES = ['open', 'blocked', 'dismissed'] as const;

export type ReportState = (typeof REPORT_STATES)[number];

/** Maximum number of open reports, more than a small team can review. */
export const MAX_OPEN_REPORTS = 10_000;
/** Number of newest entries kept per report. Older entries are only counted. */
export const MAX_ENTRIES = 50;

export interface Reporter {
  readonly accountId: string | null;
  readonly email: string | null;
  readonly org: string | null;
}

export interface ReportEntry {
  readonly at: Date;
  readonly reason: ReportReason;
  readonly details: string | null;
  readonly vector: ReportVector | null;
  readonly reporter: Reporter;
}

export interface ReportEnd {
  readonly at: Date;
  /** The admin's id; null for the command line. */
  readonly by: string | null;
  readonly reason: string | null;
}

/** All entries for a link until an admin closes the report; a link has one open report. */
export interface Report {
  readonly id: string;
  readonly linkId: string;
  readonly state: ReportState;
  readonly count: number;
  readonly reasons: Readonly<Partial<Record<ReportReason, number>>>;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Entries, newest first. */
  readonly entries: readonly ReportEntry[];
  readonly closed: ReportEnd | null;
}

export interface NewReportEntry {
  readonly linkId: string;
  readonly entry: ReportEntry;
}

export interface ReportedItem extends Pick<ReportEntry, 'details' | 'reason' | 'vector'> {
  /** An alias or a short URL. */
  readonly address: string;
}

export interface ReportSubmission {
  readonly items: readonly ReportedItem[];
  readonly reporter: Reporter;
  /** The client's key in rate limits. */
  readonly clientKey: string;
}

export const ITEM_REFUSALS = ['invalid_input', 'not_found', 'duplicate_in_batch'] as const;

export interface RejectedItem {
  readonly index: number;
  readonly input: string;
  readonly code: (typeof ITEM_REFUSALS)[number];
}

export interface SubmissionOutcome {
  readonly submissionId: string;
  readonly accepted: number;
  readonly rejected: readonly RejectedItem[];
}
