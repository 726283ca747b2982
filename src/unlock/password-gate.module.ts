import { Module } from '@nestjs/common';
import { LinkPasswordVerifier } from './password-gate';

/** Without controllers, so that rooms of fixed paths can import it ahead of the short codes. */
@Module({ providers: [LinkPasswordVerifier], exports: [LinkPasswordVerifier] })
export class LinkPasswordVerifierModule {}
