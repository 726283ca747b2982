import type { Report, ReportEnd, ReportState } from '../../reports/report';
import {
  ReportClosedError,
  ReportedLinkGoneError,
  UnknownReportError,
} from '../action/administration.errors';
import { AdminReportsService } from './admin-reports.service';

const ADMIN = { id: 'c'.repeat(24), via: 'app' } as const;
const REPORT: Report = {
  ...{ id: 'r', linkId: 'l', state: 'open', count: 3, entries: [], closed: null },
  ...{ reasons: { spam: 1, phishing: 2 }, firstAt: new Date(0), lastAt: new Date(0) },
};

describe('An open report', () => {
  let report: Report | null;
  let links: Map<string, object>;
  let isFirst: boolean;
  const block = jest.fn();
  const add = jest.fn();
  const closeReport = jest.fn((_: string, state: ReportState, closed: ReportEnd) =>
    Promise.resolve(isFirst && report ? { ...report, state, closed } : null),
  );
  const reports = new AdminReportsService(
    { findById: () => Promise.resolve(report), close: closeReport } as never,
    { showMany: () => Promise.resolve(links), block } as never,
    { findEmails: () => Promise.resolve(new Map()) } as never,
    { add } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    [report, links, isFirst] = [REPORT, new Map([['l', {}]]), true];
  });

  it.each<[string, string | null, Report['reasons'], string]>([
    ['the given reason', 'Malware', { spam: 1 }, 'Malware'],
    ['the most frequent reason', null, { spam: 1, phishing: 2 }, 'phishing'],
    ['the first of equally frequent reasons', null, { other: 2, malware: 2 }, 'malware'],
  ])('is closed by blocking its link for %s', async (_, reason, reasons, given) => {
    report = { ...REPORT, reasons };
    expect(await reports.block('r', reason, ADMIN)).toMatchObject({
      state: 'blocked',
      closed: { by: ADMIN.id, reason: given },
    });
    expect(block).toHaveBeenCalledWith('l', given, ADMIN);
    const [blocked = 0] = block.mock.invocationCallOrder;
    expect(blocked).toBeLessThan(closeReport.mock.invocationCallOrder[0] ?? 0);
    expect(add).toHaveBeenCalledWith(expect.objectContaining({ act: 'report.block' }));
  });

  it('can be dismissed after its link was deleted', async () => {
    links.clear();
    expect(await reports.dismiss('r', null, ADMIN)).toMatchObject({
      state: 'dismissed',
      url: null,
    });
    expect(block).not.toHaveBeenCalled();
    expect(add).toHaveBeenCalledWith(expect.objectContaining({ act: 'report.dismiss' }));
  });

  it('cannot be closed by blocking after its link was deleted', async () => {
    links.clear();
    await expect(reports.block('r', null, ADMIN)).rejects.toThrow(ReportedLinkGoneError);
    expect(closeReport).not.toHaveBeenCalled();
  });

  it.each<[string, Report | null, boolean, new (...args: never[]) => Error]>([
    ['unknown', null, true, UnknownReportError],
    ['closed', { ...REPORT, state: 'dismissed' }, true, ReportClosedError],
    ['closed by a concurrent request', REPORT, false, ReportClosedError],
  ])('is not closed if it is %s', async (_, stored, first, error) => {
    [report, isFirst] = [stored, first];
    await expect(reports.dismiss('r', null, ADMIN)).rejects.toThrow(error);
    await expect(reports.block('r', null, ADMIN)).rejects.toThrow(error);
    expect(add).not.toHaveBeenCalled();
  });
});
