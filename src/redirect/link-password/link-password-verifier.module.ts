import { Module } from '@nestjs/common';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import {
  LinkPasswordVerifier,
  LinkPasswordAttempts,
  LinkPasswordRenewal,
} from './link-password.verifier';

/** For all modules that verify link passwords. Has no controllers. */
@Module({
  imports: [LinkStoreModule],
  providers: [LinkPasswordAttempts, LinkPasswordRenewal, LinkPasswordVerifier],
  exports: [LinkPasswordAttempts, LinkPasswordVerifier],
})
export class LinkPasswordVerifierModule {}
