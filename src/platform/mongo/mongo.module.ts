import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MetricsOptions, MongoOptions } from '../../config/options';
import { connectionOptions } from './connection-options';
import { ExpiredDocuments } from './expired-documents';
import { timeCommands } from './command-times';
import { DatabaseMeter } from '../meters/database-meter';
import { MongoConnector } from './mongo-connector';

/** The web process' connection; the connector opens it, so that a start survives a late database. */
@Global()
@Module({
  imports: [
    MongooseModule.forRootAsync({
      inject: [MongoOptions, MetricsOptions, DatabaseMeter],
      useFactory: (mongo: MongoOptions, metrics: MetricsOptions, meter: DatabaseMeter) => ({
        uri: mongo.uri,
        lazyConnection: true,
        ...connectionOptions(mongo),
        ...(metrics.enabled ? timeCommands(meter) : {}),
      }),
    }),
  ],
  providers: [ExpiredDocuments, MongoConnector],
  exports: [ExpiredDocuments, MongoConnector],
})
export class MongoModule {}
