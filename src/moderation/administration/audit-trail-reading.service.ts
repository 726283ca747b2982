import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../../accounts/account/accounts.repository';
import type { AuditEntry } from '../../audit-trail/audit-entry';
import { AuditTrailRepository } from '../../audit-trail/audit-trail.repository';
import { toPage } from '../../common/openapi/properties';
import type { FileResult } from '../../common/http/http-result';
import { parseId } from '../../common/http/parse-id.pipe';
import type { ListTrailDto } from './audit-trail.dto';
import { type AuditTrailPageResponse, toAuditEntryResponse } from './audit-trail.response';

@Injectable()
export class AuditTrailReadingService {
  constructor(
    private readonly trail: AuditTrailRepository,
    private readonly accounts: AccountsRepository,
  ) {}

  async page(query: ListTrailDto): Promise<AuditTrailPageResponse> {
    const { act, actor, subject, page, pageSize } = query;
    const filter = {
      act,
      actor: actor && parseId(actor, 'actor'),
      // Stored ids and hosts are in lower case.
      subject: subject?.toLowerCase(),
    };
    const { items, total } = await this.trail.page(filter, page, pageSize);
    const emails = await this.accounts.findEmails(accountsIn(items));
    return toPage(
      items.map((entry) => toAuditEntryResponse(entry, emails)),
      query,
      total,
    );
  }

  /** Streams all entries as JSON lines, oldest first. */
  export(): FileResult {
    const lines = Readable.from(toAuditLines(this.trail.all()));
    return {
      kind: 'file',
      contentType: 'application/x-ndjson',
      disposition: 'attachment; filename="curtail-trail.ndjson"',
      open: () => lines,
      close: () => {
        lines.destroy();
        return Promise.resolve();
      },
    };
  }
}

async function* toAuditLines(slices: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  for await (const entries of slices) {
    yield entries.map((entry) => `${JSON.stringify(toAuditEntryResponse(entry))}\n`).join('');
  }
}

function accountsIn(entries: readonly AuditEntry[]): string[] {
  const ids = entries.flatMap(({ actor, subject }) => [
    ...(actor.id === null ? [] : [actor.id]),
    ...(subject.kind === 'account' ? [subject.id] : []),
  ]);
  return [...new Set(ids)];
}
