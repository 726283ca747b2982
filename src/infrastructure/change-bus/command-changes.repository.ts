import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import type { BusMessage } from './bus';

const COMMAND_CHANGES = 'command_changes';
const MAX_KEPT = 200;

interface CommandChanges {
  readonly _id: string;
  readonly revision: number;
  readonly recent: readonly NumberedMessage[];
}

/** `n` increases by one with each message. */
export type NumberedMessage = BusMessage & { readonly n: number };

/** Recent changes by commands, in a single document of `settings` that web processes poll. */
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

  /** Returns recent messages, oldest first; null if there are none after `revision`. */
  async findSince(revision: number): Promise<readonly NumberedMessage[] | null> {
    const newer = { _id: COMMAND_CHANGES, revision: { $ne: revision } };
    return (await this.changes.findOne(newer))?.recent ?? null;
  }

  private get changes() {
    return this.connection.collection<CommandChanges>('settings');
  }
}
