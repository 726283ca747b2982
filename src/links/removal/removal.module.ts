import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { LinkClicksModule } from '../../clicks/store/link-clicks.deleter';
import { CreationModule } from '../creation.module';
import { DeletedLinkCleanup } from './removal.service';
import { RemovalController } from './removal.controller';
import { RemovalRepository } from './removal.repository';
import { RemovalService } from './removal.service';
import { RemovedLinkRecord, RemovedLinkSchema } from './removed-link.schema';

@Module({
  imports: [
    CreationModule,
    LinkClicksModule,
    MongooseModule.forFeature([{ name: RemovedLinkRecord.name, schema: RemovedLinkSchema }]),
  ],
  controllers: [RemovalController],
  providers: [DeletedLinkCleanup, RemovalRepository, RemovalService],
  exports: [MongooseModule],
})
export class RemovalModule {}
