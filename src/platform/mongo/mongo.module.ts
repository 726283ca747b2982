import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MongoOptions } from '../../config/options';
import { connectionOptions } from './connection-options';
import { ExpiredDocuments } from './expired-documents';
import { MongoConnector } from './mongo-connector';

/** The web process' connection; the connector opens it, so that a start survives a late database. */
@Global()
@Module({
  imports: [
    MongooseModule.forRootAsync({
      inject: [MongoOptions],
      useFactory: (mongo: MongoOptions) => ({
        uri: mongo.uri,
        lazyConnection: true,
        ...connectionOptions(mongo),
      }),
    }),
  ],
  providers: [ExpiredDocuments, MongoConnector],
  exports: [ExpiredDocuments, MongoConnector],
})
export class MongoModule {}
