import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Client } from '../../infrastructure/client-address/client-address';
import type { Principal } from '../../auth/principal';
import { BackgroundTasks } from '../../common/background-tasks';
import { DAY_MS, unixSeconds } from '../../common/time';
import { type Account, heldAddresses, isGoing, isLeaving } from '../account/account';
import {
  type OwnDeletionResponse,
  type ProfileResponse,
  toUserResponse,
} from '../account/account.response';
import { DeleteOwnAccountDto } from '../account/accounts.dto';
import {
  AccountGoneError,
  AddressHeldError,
  CodeMissingError,
  DeletionBegunError,
  NotLeavingError,
} from '../account/accounts.errors';
import { AccountsRepository } from '../account/accounts.repository';
import { AdminsService } from '../admin-role/admins.service';
import { ClosedAccounts } from '../closing/closed-accounts';
import { AccountMailsService } from '../mails/account-mails.service';
import { SessionAnswer, type SignInOrigin } from '../sessions/session';
import { AccountsService } from '../sign-in/accounts.service';
import { OwnerProofService } from '../sign-in/owner-proof.service';
import { AccountDeletionService } from './account-deletion.service';

export const GRACE_DAYS = 7;
const DUE_LOOK_MS = 30_000;
const FIRST_DUE_LOOK_MS = 1000;

/** Deletion by the owner, who can restore the account for seven days (docs/contract.md#23.1). */
@Injectable()
export class OwnDeletionService implements OnApplicationBootstrap {
  constructor(
    private readonly accounts: AccountsService,
    private readonly repository: AccountsRepository,
    private readonly admins: AdminsService,
    private readonly proof: OwnerProofService,
    private readonly deletion: AccountDeletionService,
    private readonly closed: ClosedAccounts,
    private readonly mails: AccountMailsService,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const run = (): Promise<void> => this.deletion.beginDue(new Date());
    const task = { name: 'begin due account deletions', everyMs: DUE_LOOK_MS, run };
    this.background.repeat(task, FIRST_DUE_LOOK_MS);
  }

  /** @throws CodeMissingError, NoPasswordError, PasswordWrongError, CodeRefusedError, LastAdminError */
  async leave(
    principal: Principal,
    body: DeleteOwnAccountDto,
    origin: SignInOrigin,
  ): Promise<OwnDeletionResponse | SessionAnswer<OwnDeletionResponse>> {
    const account = await this.accounts.demand(principal);
    if (body.now === true && body.code === undefined) throw new CodeMissingError();
    if (body.now === true && heldAddresses(account).length > 0) throw new AddressHeldError();
    await this.proof.demand(account, body, 'deletion', origin);
    const after = await this.admins.keepingAnAdmin(account.id, (current) =>
      this.noteLeaving(current, body, new Date()),
    );
    const { deletesAt } = after;
    await this.closed.announceChange();
    if (body.now === true) {
      await this.deletion.beginNoted(after);
      return new SessionAnswer({ deletes_at: unixSeconds(deletesAt) }, null);
    }
    if (account.deletesAt === null) {
      this.mails.notify(account.id, { what: 'deletion requested', at: deletesAt }, origin.client);
    }
    return { deletes_at: unixSeconds(deletesAt) };
  }

  /** @throws NotLeavingError */
  async restore(principal: Principal, client: Client): Promise<ProfileResponse> {
    const { id } = await this.accounts.demand(principal);
    const restored = await this.repository.restore(id, new Date());
    if (restored === null) throw new NotLeavingError();
    await this.closed.announceChange();
    this.mails.notify(id, { what: 'deletion cancelled' }, client);
    return { user: toUserResponse(restored) };
  }

  private async noteLeaving(
    current: Account,
    { now, code, close_links: closesLinks = false }: DeleteOwnAccountDto,
    at: Date,
  ): Promise<Account & { readonly deletesAt: Date }> {
    if (isGoing(current)) throw new DeletionBegunError();
    const deletesAt = now === true ? at : deletionTime(current, at);
    await this.proof.useUp(current.id, 'deletion', code);
    const after = await this.repository.leave(current.id, deletesAt, closesLinks);
    if (after === null) throw new AccountGoneError();
    return { ...after, deletesAt };
  }
}

/** A repeated request does not prolong the period. */
function deletionTime(account: Account, at: Date): Date {
  const { deletesAt } = account;
  if (deletesAt !== null && isLeaving(account)) return deletesAt;
  return new Date(at.getTime() + GRACE_DAYS * DAY_MS);
}
