import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { MetricsOptions, MongoOptions } from '../../config/options';
import { DatabaseCommands } from './database-commands';
import { DatabaseLeases } from './database-leases.repository';
import { ExpiredDocuments } from './expired-documents';
import { MongoConnector } from './mongo-connector';
import { connectionOptions } from './open-connection';
import { DatabaseReadiness, refuseWritesWithoutIndexes } from './write-barrier';

@Module({ providers: [DatabaseReadiness], exports: [DatabaseReadiness] })
class ReadinessModule {}

/** The connector opens the connection, so the service starts even if the database is down. */
@Global()
@Module({
  imports: [
    MongooseModule.forRootAsync({
      imports: [ReadinessModule],
      inject: [MongoOptions, MetricsOptions, DatabaseReadiness],
      useFactory: (mongo: MongoOptions, metrics: MetricsOptions, readiness: DatabaseReadiness) => ({
        uri: mongo.uri,
        lazyConnection: true,
        ...connectionOptions(mongo),
        // Enabled only for metrics, because monitoring slows down every command slightly.
        monitorCommands: metrics.enabled,
        connectionFactory: (connection: Connection): Connection => {
          refuseWritesWithoutIndexes(connection, readiness);
          // The first attempt may fail before the connector awaits it.
          connection.asPromise().catch(() => undefined);
          return connection;
        },
      }),
    }),
    ReadinessModule,
  ],
  providers: [DatabaseCommands, DatabaseLeases, ExpiredDocuments, MongoConnector],
  exports: [DatabaseCommands, DatabaseLeases, ExpiredDocuments, MongoConnector, ReadinessModule],
})
export class MongoModule {}
