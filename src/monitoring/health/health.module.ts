import { Module } from '@nestjs/common';
import { JournalModule } from '../../clicks/journal/journal.module';
import { ClickHouseModule } from '../../infrastructure/click-house/click-house.module';
import { MailModule } from '../../infrastructure/mail/mail.module';
import { RedisModule } from '../../infrastructure/redis/redis.module';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';

@Module({
  imports: [
    ClickHouseModule,
    DomainStoreModule,
    JournalModule,
    LinkStoreModule,
    MailModule,
    RedisModule,
  ],
  controllers: [HealthController],
  providers: [HealthService],
  exports: [HealthService],
})
export class HealthModule {}
