import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { AccountFileRecord, AccountFileSchema } from './account-file.schema';
import { AccountFilesRepository } from './account-files.repository';

@Module(
  storeMetadata(
    [{ name: AccountFileRecord.name, schema: AccountFileSchema }],
    [AccountFilesRepository],
  ),
)
export class AccountFileStoreModule {}
