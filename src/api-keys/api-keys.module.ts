import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountsModule } from '../accounts/accounts.module';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { ApiKeyRecord, ApiKeySchema } from './api-key.schema';
import { ApiKeyStrategy } from './api-key.strategy';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysRepository } from './api-keys.repository';
import { ApiKeysService } from './api-keys.service';

@Module({
  imports: [
    AccountsModule,
    IdempotencyModule,
    MongooseModule.forFeature([{ name: ApiKeyRecord.name, schema: ApiKeySchema }]),
  ],
  controllers: [ApiKeysController],
  providers: [ApiKeysService, ApiKeysRepository, ApiKeyStrategy],
  exports: [ApiKeysRepository],
})
export class ApiKeysModule {}
