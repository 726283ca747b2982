import { Module } from '@nestjs/common';
import { MailModule } from '../infrastructure/mail/mail.module';
import { RedisModule } from '../infrastructure/redis/redis-connection';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';

@Module({
  imports: [MailModule, RedisModule],
  controllers: [HealthController],
  providers: [HealthService],
})
export class HealthModule {}
