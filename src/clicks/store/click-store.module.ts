import { Module } from '@nestjs/common';
import { onConnection } from '../../infrastructure/mongo/stores';
import { ClickStoreRepository } from './click-store.repository';
import { DroppedClicksRepository } from './dropped-clicks.repository';

const REPOSITORIES = onConnection(ClickStoreRepository, DroppedClicksRepository);

/** Provides click stores to web processes, which delete them with their links. */
@Module({ providers: REPOSITORIES, exports: REPOSITORIES })
export class ClickStoreModule {}
