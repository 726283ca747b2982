import { Module } from '@nestjs/common';
import { ApiDescriptionController } from './api-description.controller';
import { ApiDescriptionService } from './api-description.service';

/** The API's description of itself, for programs and people. */
@Module({
  controllers: [ApiDescriptionController],
  providers: [ApiDescriptionService],
})
export class ApiDescriptionModule {}
