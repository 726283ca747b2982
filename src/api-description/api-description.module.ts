import { Module } from '@nestjs/common';
import { ApiDescriptionController } from './api-description.controller';
import { ApiDescriptionService } from './api-description.service';

@Module({
  controllers: [ApiDescriptionController],
  providers: [ApiDescriptionService],
})
export class ApiDescriptionModule {}
