import { Injectable } from '@nestjs/common';
import { AppLog } from '../../common/log';
import type { Client } from '../../infrastructure/client-address/client-address';
import type { Account } from './account';

/**
 * Logs one line per sign-in at level info for tools such as fail2ban, which rely on its messages
 * and field names (docs/operations.md). Never logs text that a user typed, such as the email.
 */
@Injectable()
export class SignInLog {
  constructor(private readonly log: AppLog) {}

  /** @param account null if the email has no account */
  failed(client: Client, account: Pick<Account, 'id'> | null, reason: string): void {
    const fields = { address: client.address, account: account?.id ?? null, reason };
    this.log.info('Sign-in failed', fields);
  }

  registered(client: Client, account: Pick<Account, 'id'>, method: string): void {
    const fields = { address: client.address, account: account.id, method };
    this.log.info('Account registered', fields);
  }
}
