import { Injectable } from '@nestjs/common';
import { AppLog } from '../common/log';
import type { Client } from '../infrastructure/client-address/client-address';
import type { Account } from './account';

/**
 * Logs who got in and who did not, one line each at info: for the operator, and for programs such as
 * fail2ban that ban addresses by them. Messages and field names are an interface
 * (docs/operations.md); what somebody has typed, the email too, is not among it.
 */
@Injectable()
export class SignInLog {
  constructor(private readonly log: AppLog) {}

  /** @param account whose account was tried; null when the email has none */
  failed(client: Client, account: Pick<Account, 'id'> | null, reason: string): void {
    const fields = { address: client.address, account: account?.id ?? null, reason };
    this.log.info('Sign-in failed', fields);
  }

  /** @param method `password`, or the name of the provider */
  registered(client: Client, account: Pick<Account, 'id'>, method: string): void {
    const fields = { address: client.address, account: account.id, method };
    this.log.info('Account registered', fields);
  }
}
