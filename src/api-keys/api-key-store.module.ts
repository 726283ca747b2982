import { Module } from '@nestjs/common';
import { storeMetadata } from '../infrastructure/mongo/stores';
import { ApiKeyRecord, ApiKeySchema } from './api-key.schema';
import { ApiKeysRepository } from './api-keys.repository';

@Module(storeMetadata([{ name: ApiKeyRecord.name, schema: ApiKeySchema }], [ApiKeysRepository]))
export class ApiKeyStoreModule {}
