import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { MetricsOptions, MongoOptions } from '../../config/options';
import { connectionOptions } from './connection-options';
import { ExpiredDocuments } from './expired-documents';
import { timeCommands } from './command-times';
import { DatabaseMeter } from '../meters/database-meter';
import { MongoConnector } from './mongo-connector';
import { DatabaseReadiness, refuseWritesWithoutIndexes } from './write-barrier';

@Module({ providers: [DatabaseReadiness], exports: [DatabaseReadiness] })
class ReadinessModule {}

/** The web process' connection; the connector opens it, so that a start survives a late database. */
@Global()
@Module({
  imports: [
    MongooseModule.forRootAsync({
      imports: [ReadinessModule],
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
