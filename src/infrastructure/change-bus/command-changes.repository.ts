import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { BusMessage } from './bus';

const COMMAND_CHANGES = 'command_changes';
/** Messages that are kept: many times as many as commands send between two looks. */
const MAX_KEPT = 200;

interface CommandChanges {
  readonly _id: string;
  readonly revision: number;
  readonly recent: readonly NumberedMessage[];
}

/** A message with its number, which rises by one from message to message. */
export type NumberedMessage = BusMessage & { readonly n: number };

/**
 * Changes that commands have made beside the running service, of which web processes hear by looking:
 * the last ones, in one document of the collection `settings`.
 */
@Injectable()
export class CommandChangesRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  async append({ channel, message }: BusMessage): Promise<void> {
    const entry = { n: '$revision', channel, message: { $literal: message } };
    await this.changes.updateOne(
      { _id: COMMAND_CHANGES },
      [
        { $set: { revision: { $add: [{ $ifNull: ['$revision', 0] }, 1] } } },
        {
          $set: {
            recent: {
              $slice: [{ $concatArrays: [{ $ifNull: ['$recent', []] }, [entry]] }, -MAX_KEPT],
            },
          },
        },
      ],
      { upsert: true },
    );
  }

  /** The last messages, the oldest first; null where there is none but those up to that number. */
  async findSince(revision: number): Promise<readonly NumberedMessage[] | null> {
    const newer = { _id: COMMAND_CHANGES, revision: { $ne: revision } };
    return (await this.changes.findOne(newer))?.recent ?? null;
  }

  private get changes() {
    return this.connection.collection<CommandChanges>('settings');
  }
}
