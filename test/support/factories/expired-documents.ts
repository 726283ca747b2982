import type { Connection } from 'mongoose';
import { ExpiredDocuments } from '../../../src/infrastructure/mongo/expired-documents';
import { QuietLogger } from '../shared/quiet-logger';

export function expiredDocumentsIn(connection: Pick<Connection, 'models'>): ExpiredDocuments {
  return new ExpiredDocuments(connection, { uri: '', embedded: true }, new QuietLogger());
}
