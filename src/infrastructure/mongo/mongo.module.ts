import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { MetricsOptions, MongoOptions } from '../../config/options';
import { DatabaseMeter } from '../meters/meters';
import { MetersModule } from '../meters/meters.module';
import { ExpiredDocuments } from './expired-documents';
import { MongoConnector } from './mongo-connector';
import { connectionOptions } from './open-connection';
import { DatabaseReadiness, refuseWritesWithoutIndexes } from './write-barrier';

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

@Module({ providers: [DatabaseReadiness], exports: [DatabaseReadiness] })
class ReadinessModule {}

/** The web process' connection; the connector opens it, so that a start survives a late database. */
@Global()
@Module({
  imports: [
    MongooseModule.forRootAsync({
      imports: [MetersModule, ReadinessModule],
      inject: [MongoOptions, MetricsOptions, DatabaseMeter, DatabaseReadiness],
      useFactory: (
        mongo: MongoOptions,
        metrics: MetricsOptions,
        meter: DatabaseMeter,
        readiness: DatabaseReadiness,
      ) => ({
        uri: mongo.uri,
        lazyConnection: true,
        ...connectionOptions(mongo),
        // Watching commands costs a little for each.
        monitorCommands: metrics.enabled,
        connectionFactory: (connection: Connection): Connection => {
          refuseWritesWithoutIndexes(connection, readiness);
          if (metrics.enabled) timeCommands(connection, meter);
          return connection;
        },
      }),
    }),
    ReadinessModule,
  ],
  providers: [ExpiredDocuments, MongoConnector],
  exports: [ExpiredDocuments, MongoConnector],
})
export class MongoModule {}
