import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module';
import { ApiKeyStoreModule } from '../../api-keys/api-key-store.module';
import { EmailChangeController, UndoEmailPageController } from './email-change.controller';
import { EmailChangeService } from './email-change.service';

@Module({
  imports: [AccountsModule, ApiKeyStoreModule],
  controllers: [EmailChangeController, UndoEmailPageController],
  providers: [EmailChangeService],
})
export class EmailChangeModule {}
