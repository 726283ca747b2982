import { Module } from '@nestjs/common';
import { JournalModule } from '../../clicks/journal/journal.module';
import { ClickHouseModule } from '../../infrastructure/click-house/click-house.module';
import { MailModule } from '../../infrastructure/mail/mail.module';
import { RedisModule } from '../../infrastructure/redis/redis.module';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';

@Module({
  imports: [ClickHouseModule, JournalModule, MailModule, RedisModule],
  controllers: [HealthController],
  providers: [HealthService],
  exports: [HealthService],
})
export class HealthModule {}
