import { Module } from '@nestjs/common';
import { PasswordGate } from './password-gate';

/** Without controllers, so that rooms of fixed paths can import it ahead of the short codes. */
@Module({ providers: [PasswordGate], exports: [PasswordGate] })
export class PasswordGateModule {}
