import { ReportNoticesService, reportsMail } from './reports.service';

const FROM = { site: 'Curtail', baseUrl: 'https://base.test' };
const ADMINS = ['ada@example.com', 'bob@example.com'];

describe('The email about new reports', () => {
  it.each([
    [1, 3, '1 link was reported at Curtail. Open reports: 3.'],
    [2, 2, '2 links were reported at Curtail. Open reports: 2.'],
  ])('counts %i new of %i open reports', (added, open, lead) => {
    expect(reportsMail('ada@example.com', { added, open }, FROM)).toMatchObject({
      values: { lead },
      page: { path: '/dashboard/admin/reports' },
    });
  });

  it.each<[string, number, string[], boolean, boolean[], number, boolean]>([
    ['is sent to all admins', 1, ADMINS, true, [true, true], 2, true],
    ['counts as sent if it reaches one admin', 1, ADMINS, true, [false, true], 2, true],
    ['is sent again later if it reaches none', 1, ADMINS, true, [false, false], 2, false],
    ['is not sent without new reports', 0, ADMINS, true, [], 0, false],
    ['is not sent without admins', 1, [], true, [], 0, false],
    ['is not sent twice in an hour', 1, ADMINS, false, [], 0, false],
  ])('%s', async (_, added, admins, hasTurn, results, mails, isNoted) => {
    const send = jest.fn(() => Promise.resolve(results.shift() ?? false));
    const noteTold = jest.fn();
    const acquire = jest.fn(() => Promise.resolve(hasTurn ? 'holder' : null));
    let work: Promise<void> = Promise.resolve();
    const notices = new ReportNoticesService(
      {
        countUntold: () => Promise.resolve(added),
        countOpen: () => Promise.resolve(added),
        noteTold,
      } as never,
      { acquire } as never,
      { adminEmails: () => Promise.resolve(admins) } as never,
      { send } as never,
      { run: (_what: string, task: () => Promise<void>) => (work = task()) } as never,
      { baseUrl: FROM.baseUrl } as never,
      { name: FROM.site } as never,
    );
    notices.tellSoon();
    await work;
    expect(send).toHaveBeenCalledTimes(mails);
    expect(noteTold).toHaveBeenCalledTimes(Number(isNoted));
    // Acquiring the lease without sending would delay the next notice by an hour.
    expect(acquire).toHaveBeenCalledTimes(Number(added > 0 && admins.length > 0));
  });
});
