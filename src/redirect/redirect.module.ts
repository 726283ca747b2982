import { Module } from '@nestjs/common';
import { LookupModule } from '../links/lookup/lookup.module';
import { JournalModule } from '../platform/journal/journal.module';
import { ClickSlots } from './click-slots';
import { RedirectFront } from './redirect-front';
import { Visits } from './visits';

@Module({
  imports: [LookupModule, JournalModule],
  providers: [ClickSlots, RedirectFront, Visits],
  exports: [RedirectFront, Visits],
})
export class RedirectModule {}
