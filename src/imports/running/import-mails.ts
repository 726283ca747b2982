import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../../accounts/account/accounts.repository';
import { composeMail } from '../../accounts/mails/account-mails';
import { plainWords } from '../../accounts/mails/notice-mails';
import { MINUTE_MS } from '../../common/time';
import { HttpOptions, SiteOptions } from '../../config/options';
import type { JobError } from '../../infrastructure/jobs/job';
import { type Mail, MailSender, type Sender } from '../../infrastructure/mail/mail-sender';
import { type Import, WRITTEN_VERDICTS } from '../store/import';
import { ImportsRepository } from '../store/imports.repository';

export interface EndedRun {
  readonly startedAt: Date | null;
  readonly counts: Readonly<Partial<Record<string, number>>>;
  readonly error: JobError | null;
}

/** Sends at most one email per run, even if a killed process ends the run twice. */
@Injectable()
export class ImportMails {
  private readonly from: Sender;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly accounts: AccountsRepository,
    private readonly sender: MailSender,
    http: HttpOptions,
    site: SiteOptions,
  ) {
    this.from = { site: site.name, baseUrl: http.baseUrl };
  }

  /** @param dataImport as currently stored */
  async tell(dataImport: Import, run: EndedRun): Promise<void> {
    const { startedAt } = run;
    if (startedAt === null || Date.now() - startedAt.getTime() <= MINUTE_MS) return;
    if (dataImport.toldRun?.getTime() === startedAt.getTime()) return;
    const account = await this.accounts.findById(dataImport.ownerId);
    if (account === null) return;
    const { email } = account;
    await this.sender.send(email, () => importMail(email, dataImport, run, this.from));
    await this.imports.noteTold(dataImport.id, startedAt);
  }
}

export function importMail(
  to: string,
  { id, file, source }: Pick<Import, 'file' | 'id' | 'source'>,
  { counts, error }: EndedRun,
  from: Sender,
): Mail {
  const words = error === null ? 'is done' : 'has failed';
  const figures = `Rows read: ${sumVerdicts(counts, Object.keys(counts))}, links imported: ${sumVerdicts(counts, WRITTEN_VERDICTS)}, links updated: ${sumVerdicts(counts, ['updated'])}`;
  return composeMail(to, from, {
    subject: `Your import ${words}`,
    lead: `The import of “${plainWords(file?.name ?? source)}” at ${from.site} ${words}.`,
    advice:
      error === null ? `${figures}.` : `${error.error}. Links that were already imported are kept.`,
    page: { path: `/dashboard/import/${id}`, action: 'Show the import' },
  });
}

function sumVerdicts(counts: EndedRun['counts'], verdicts: readonly string[]): number {
  return verdicts.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0);
}
