import type { Connection } from 'mongoose';
import { DatabaseMeter } from '../meters/database-meter';

interface CommandEnd {
  /** Milliseconds. */
  duration: number;
}

/** Tells the meter of every command of a connection with `monitorCommands`. */
export function timeCommands(connection: Connection, meter: DatabaseMeter): void {
  connection.on('commandSucceeded', ({ duration }: CommandEnd) =>
    meter.durations.observe(duration),
  );
  connection.on('commandFailed', ({ duration }: CommandEnd) => {
    meter.durations.observe(duration);
    meter.failures++;
  });
}
