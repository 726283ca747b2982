import { Injectable } from '@nestjs/common';
import { ExpiredDocuments } from '../../platform/mongo/expired-documents';
import { StatesRepository } from './states.repository';

/** Names what of this room expires. */
@Injectable()
export class StateExpiry {
  constructor(documents: ExpiredDocuments, states: StatesRepository) {
    documents.register('OAuth states', (now) => states.purgeExpired(now));
  }
}
