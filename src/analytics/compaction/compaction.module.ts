import { Module } from '@nestjs/common';
import { CompactionRepository } from './compaction.repository';
import { Compactor } from './compactor.service';
import { LeftoversService } from './leftovers.service';

/** For the recorder process: keeps ledgers small. */
@Module({
  providers: [CompactionRepository, Compactor, LeftoversService],
  exports: [Compactor],
})
export class CompactionModule {}
