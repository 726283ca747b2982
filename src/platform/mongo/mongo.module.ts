import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MongoConnector } from './mongo-connector';

/** The web process' connection; the connector opens it, so that a start survives a late database. */
@Global()
@Module({
  imports: [
    MongooseModule.forRootAsync({
      useFactory: () => ({ lazyConnection: true, bufferCommands: false }),
    }),
  ],
  providers: [MongoConnector],
  exports: [MongoConnector],
})
export class MongoModule {}
