import type { MongooseModuleOptions } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { DatabaseMeter } from '../meters/database-meter';

interface CommandEnd {
  /** Milliseconds. */
  duration: number;
}

/** Connection options that tell the meter of every command; watching costs a little for each. */
export function timeCommands(meter: DatabaseMeter): MongooseModuleOptions {
  return {
    monitorCommands: true,
    connectionFactory: (connection: Connection): Connection => {
      connection.on('commandSucceeded', ({ duration }: CommandEnd) =>
        meter.durations.observe(duration),
      );
      connection.on('commandFailed', ({ duration }: CommandEnd) => {
        meter.durations.observe(duration);
        meter.failures++;
      });
      return connection;
    },
  };
}
