import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';

interface EndedCommand {
  /** Duration in milliseconds. */
  duration: number;
}

/** Monitors database commands; has an effect only with METRICS=true. */
@Injectable()
export class DatabaseCommands {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  watch(ended: (duration: number, failed: boolean) => void): void {
    this.connection.on('commandSucceeded', ({ duration }: EndedCommand) => ended(duration, false));
    this.connection.on('commandFailed', ({ duration }: EndedCommand) => ended(duration, true));
  }
}
