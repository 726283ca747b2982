import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AuditTrailService } from '../../../audit-trail/audit-trail.service';
import { type Report, REPORT_REASONS, type ReportState } from '../../reports/report';
import { ReportsRepository } from '../../reports/reports.repository';
import {
  ReportClosedError,
  ReportedLinkGoneError,
  UnknownReportError,
} from '../action/administration.errors';
import { AdminLinksService } from '../links/admin-links.service';
import {
  type AdminReportPageResponse,
  type AdminReportResponse,
  reporterIds,
  toAdminReport,
} from './admin-report.response';
import type { ListReportsDto } from './admin-reports.dto';
import { toPage } from '../../../common/openapi/properties';

@Injectable()
export class AdminReportsService {
  constructor(
    private readonly reports: ReportsRepository,
    private readonly links: AdminLinksService,
    private readonly accounts: AccountsRepository,
    private readonly trail: AuditTrailService,
  ) {}

  async list(query: ListReportsDto): Promise<AdminReportPageResponse> {
    const state = query.state === 'all' ? null : query.state;
    const { reports, total } = await this.reports.page(state, query, new Date());
    return toPage(await this.toResponses(reports), query, total);
  }

  async show(id: string): Promise<AdminReportResponse> {
    return this.toResponse(await this.find(id));
  }

  /** Blocks the link before it closes the report, so that the report stays open after a failure. */
  async block(id: string, reason: string | null, actor: AuditActor): Promise<AdminReportResponse> {
    const report = await this.findOpen(id);
    const link = (await this.links.showMany([report.linkId])).get(report.linkId);
    if (link === undefined) throw new ReportedLinkGoneError();
    const given = reason ?? mostGivenReason(report);
    await this.links.block(report.linkId, given, actor);
    return this.close(report, 'blocked', given, actor);
  }

  /** @throws UnknownReportError, ReportClosedError */
  async dismiss(
    id: string,
    reason: string | null,
    actor: AuditActor,
  ): Promise<AdminReportResponse> {
    return this.close(await this.findOpen(id), 'dismissed', reason, actor);
  }

  private async find(id: string): Promise<Report> {
    const report = await this.reports.findById(id, new Date());
    if (report === null) throw new UnknownReportError();
    return report;
  }

  private async findOpen(id: string): Promise<Report> {
    const report = await this.find(id);
    if (report.state !== 'open') throw new ReportClosedError();
    return report;
  }

  /** Only one concurrent call succeeds. */
  private async close(
    { id }: Report,
    state: Exclude<ReportState, 'open'>,
    reason: string | null,
    actor: AuditActor,
  ): Promise<AdminReportResponse> {
    const end = { at: new Date(), by: actor.id, reason };
    const closed = await this.reports.close(id, state, end);
    if (closed === null) throw new ReportClosedError();
    const response = await this.toResponse(closed);
    const alias = response.url?.alias;
    await this.trail.add({
      actor,
      act: state === 'blocked' ? 'report.block' : 'report.dismiss',
      subject: { kind: 'report', id, ...(alias !== undefined && { alias }) },
      reason,
      before: { state: 'open' },
      after: { state },
    });
    return response;
  }

  private async toResponse(report: Report): Promise<AdminReportResponse> {
    const [item] = await this.toResponses([report]);
    if (item === undefined) throw new UnknownReportError();
    return item;
  }

  private async toResponses(reports: readonly Report[]): Promise<AdminReportResponse[]> {
    const [links, emails] = await Promise.all([
      this.links.showMany(reports.map(({ linkId }) => linkId)),
      this.accounts.findEmails([...new Set(reports.flatMap(reporterIds))]),
    ]);
    return reports.map((report) => toAdminReport(report, links.get(report.linkId) ?? null, emails));
  }
}

function mostGivenReason({ reasons }: Report): string {
  const [most = 'other'] = [...REPORT_REASONS].sort(
    (a, b) => (reasons[b] ?? 0) - (reasons[a] ?? 0),
  );
  return most;
}
