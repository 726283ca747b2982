import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';

interface EndedCommand {
  /** Milliseconds. */
  duration: number;
}

/** Tells of the commands of a web process' connection, which are watched with METRICS=true alone. */
@Injectable()
export class DatabaseCommands {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Calls back after each command with how many milliseconds it took, and whether it failed. */
  watch(ended: (duration: number, failed: boolean) => void): void {
    this.connection.on('commandSucceeded', ({ duration }: EndedCommand) => ended(duration, false));
    this.connection.on('commandFailed', ({ duration }: EndedCommand) => ended(duration, true));
  }
}
