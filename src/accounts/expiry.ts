import { Injectable } from '@nestjs/common';
import { ExpiredDocuments } from '../platform/mongo/expired-documents';
import { CodeBudgetsRepository } from './codes/code-budgets.repository';
import { CodesRepository } from './codes/codes.repository';
import { SessionsRepository } from './sessions/sessions.repository';

/** Names what of this room expires. */
@Injectable()
export class AccountExpiry {
  constructor(
    documents: ExpiredDocuments,
    codes: CodesRepository,
    budgets: CodeBudgetsRepository,
    sessions: SessionsRepository,
  ) {
    documents.register('codes', (now) => codes.purgeExpired(now));
    documents.register('code budgets', (now) => budgets.purgeExpired(now));
    documents.register('sessions', (now) => sessions.purgeExpired(now));
  }
}
