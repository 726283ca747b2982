import { Injectable, Module } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Connection } from 'mongoose';
import { ClickStoreRepository } from './click-store.repository';

/** Deletes what is recorded of links, for whoever removes the links themselves. */
@Injectable()
export class LinkClicksDeleter {
  private readonly stores: ClickStoreRepository;

  constructor(@InjectConnection() connection: Connection) {
    this.stores = new ClickStoreRepository(connection);
  }

  /** Removes every click of these links; clicks recorded later belong to the caller's next call. */
  remove(linkIds: readonly string[]): Promise<void> {
    return this.stores.remove(linkIds);
  }
}

@Module({ providers: [LinkClicksDeleter], exports: [LinkClicksDeleter] })
export class LinkClicksModule {}
