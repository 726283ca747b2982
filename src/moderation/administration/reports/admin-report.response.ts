import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, ISO_PROPERTY, itemPage } from '../../../common/openapi/properties';
import {
  type Report,
  REPORT_REASONS,
  REPORT_STATES,
  REPORT_VECTORS,
  type ReportEntry,
  type ReportReason,
  type ReportState,
  type ReportVector,
} from '../../reports/report';
import { AdminLinkResponse, LinkOwnerResponse } from '../links/admin-link.response';

const MAX_SHOWN = 20;
const NULLABLE_REPORT_TEXT = { type: String, nullable: true } as const;

class ReportEntryResponse {
  @ApiProperty(ISO_PROPERTY) at!: string;
  @ApiProperty({ enum: REPORT_REASONS }) reason!: ReportReason;
  @ApiProperty({
    ...NULLABLE_REPORT_TEXT,
    description: 'Unchecked text from the reporter',
  })
  details!: string | null;
  @ApiProperty({ enum: REPORT_VECTORS, nullable: true }) vector!: ReportVector | null;
  @ApiProperty({ ...NULLABLE_REPORT_TEXT, example: 'ada@example.com' }) reporter_email!:
    string | null;
  @ApiProperty(NULLABLE_REPORT_TEXT) reporter_org!: string | null;
  @ApiProperty({ type: LinkOwnerResponse, nullable: true, description: 'The signed-in account' })
  account!: LinkOwnerResponse | null;
}

class ReportEndResponse {
  @ApiProperty(ISO_PROPERTY) at!: string;
  @ApiProperty({ ...ID_PROPERTY, nullable: true, description: "The admin's ID" }) by!:
    string | null;
  @ApiProperty(NULLABLE_REPORT_TEXT) reason!: string | null;
}

export class AdminReportResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ enum: REPORT_STATES }) state!: ReportState;
  @ApiProperty({ ...COUNT, description: 'Number of reports about the link' }) count!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of reports by reason',
    example: { phishing: 3 },
  })
  reasons!: Partial<Record<ReportReason, number>>;
  @ApiProperty(ISO_PROPERTY) first_at!: string;
  @ApiProperty(ISO_PROPERTY) last_at!: string;
  @ApiProperty({
    type: AdminLinkResponse,
    nullable: true,
    description: 'null if the link no longer exists',
  })
  url!: AdminLinkResponse | null;
  @ApiProperty({
    type: [ReportEntryResponse],
    maxItems: MAX_SHOWN,
    description: "Newest first. Reporters' data is deleted 30 days after the report is closed",
  })
  entries!: ReportEntryResponse[];
  @ApiProperty({ type: ReportEndResponse, nullable: true }) closed!: ReportEndResponse | null;
}

export class AdminReportPageResponse extends itemPage(AdminReportResponse) {}

export function reporterIds({ entries }: Report): string[] {
  return entries.slice(0, MAX_SHOWN).flatMap(({ reporter }) => reporter.accountId ?? []);
}

export function toAdminReport(
  report: Report,
  url: AdminLinkResponse | null,
  emails: ReadonlyMap<string, string>,
): AdminReportResponse {
  const { id, state, count, reasons, closed } = report;
  return {
    id,
    state,
    count,
    reasons: { ...reasons },
    first_at: report.firstAt.toISOString(),
    last_at: report.lastAt.toISOString(),
    url,
    entries: report.entries.slice(0, MAX_SHOWN).map((entry) => toEntryResponse(entry, emails)),
    closed: closed && { ...closed, at: closed.at.toISOString() },
  };
}

function toEntryResponse(
  { at, reason, details, vector, reporter }: ReportEntry,
  emails: ReadonlyMap<string, string>,
): ReportEntryResponse {
  const { accountId, email, org } = reporter;
  const account =
    accountId === null ? null : { id: accountId, email: emails.get(accountId) ?? null };
  return {
    at: at.toISOString(),
    reason,
    details,
    vector,
    reporter_email: email,
    reporter_org: org,
    account,
  };
}
