import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { IdParam, Operation, Returns } from '../../../common/http/route.decorators';
import { CurrentActor } from '../action/current-actor.decorator';
import { OptionalBodyPipe } from '../../../common/http/optional-body.pipe';
import { OptionalReasonDto, ReasonDto } from '../action/reason.dto';
import {
  AccountDeletionResponse,
  AdminAccountPageResponse,
  AdminAccountResponse,
} from './admin-account.response';
import { DeleteAccountDto, RoleDto, SearchAccountsDto } from './admin-accounts.dto';
import { AccountSearchService, AdminAccountsService } from './admin-accounts.service';

const DELETION =
  'Closes the account immediately: its sessions end, its keys are rejected, and its links return 410. A job then deletes its data and finally the account itself, and sends an email.';
const DELETION_EXAMPLE = {
  typed: {
    summary: 'The email address as confirmation',
    value: { email: 'ada@example.com', reason: 'Requested by email' },
  },
};

@ApiTags('Administration')
@Controller('api/v1/admin/accounts')
export class AdminAccountsController {
  constructor(
    private readonly accounts: AccountSearchService,
    private readonly service: AdminAccountsService,
  ) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'searchAccounts',
    summary: 'Find accounts',
    description:
      'Returns a page of all accounts, newest first. A search that takes longer than 10 s returns 503.',
  })
  @Returns(200, AdminAccountPageResponse, 'A page')
  search(@Query() query: SearchAccountsDto) {
    return this.accounts.search(query);
  }

  @Get(':id')
  @AdminAccess('read')
  @Operation({
    id: 'getAnyAccount',
    summary: 'Read an account',
    description: 'Returns an account with its numbers of links, clicks, keys and active sessions.',
  })
  @Returns(200, AdminAccountResponse, 'The account')
  show(@IdParam("The account's ID") id: string) {
    return this.accounts.show(id);
  }

  @Post(':id/suspend')
  @AdminAccess('write')
  @Operation({
    id: 'suspendAccount',
    summary: 'Suspend an account',
    description:
      "Within a second, ends the account's sessions, rejects its keys and makes its links return 410 on every machine. The owner gets the reason by email. If the account is already suspended, the reason is replaced.",
    examples: { spam: { summary: 'A reason', value: { reason: 'Spam' } } },
  })
  @Returns(200, AdminAccountResponse, 'The account, suspended', 400, 409)
  suspend(
    @IdParam("The account's ID") id: string,
    @Body() { reason }: ReasonDto,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.suspend(id, reason, actor);
  }

  @Post(':id/unsuspend')
  @AdminAccess('write')
  @Operation({
    id: 'unsuspendAccount',
    summary: 'End a suspension',
    description: 'Links and API keys work again. The owner must sign in again.',
  })
  @ApiBody({ type: OptionalReasonDto, required: false })
  @Returns(200, AdminAccountResponse, 'The account', 409)
  unsuspend(
    @IdParam("The account's ID") id: string,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) { reason }: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.unsuspend(id, reason ?? null, actor);
  }

  @Put(':id/role')
  @AdminAccess('write')
  @Operation({
    id: 'setAccountRole',
    summary: 'Grant or remove the admin role',
    description:
      'Admins must have a verified address. The role cannot be removed from the last admin or from addresses in ADMIN_EMAILS.',
    examples: { admin: { summary: 'The role', value: { role: 'admin' } } },
  })
  @Returns(200, AdminAccountResponse, 'The account', 400, 409)
  setRole(
    @IdParam("The account's ID") id: string,
    @Body() { role }: RoleDto,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.setRole(id, role, actor);
  }

  @Post(':id/end-sessions')
  @AdminAccess('write')
  @Operation({
    id: 'endSessionsOfAccount',
    summary: "End an account's sessions",
    description: 'The owner must sign in again; API keys continue to work.',
  })
  @Returns(200, AdminAccountResponse, 'The account', 409)
  endSessions(@IdParam("The account's ID") id: string, @CurrentActor() actor: AuditActor) {
    return this.service.endSessions(id, actor);
  }

  @Post(':id/password-reset')
  @AdminAccess('write')
  @Operation({
    id: 'resetPasswordOfAccount',
    summary: 'Force a password reset',
    description: "Ends all of the account's sessions and emails a code for setting a new password.",
  })
  @Returns(200, AdminAccountResponse, 'The account', 400, 409, 500)
  resetPassword(@IdParam("The account's ID") id: string, @CurrentActor() actor: AuditActor) {
    return this.service.resetPassword(id, actor);
  }

  @Delete(':id')
  @AdminAccess('write')
  @Operation({
    id: 'deleteAnyAccount',
    summary: 'Delete an account',
    description: DELETION,
    examples: DELETION_EXAMPLE,
  })
  @Returns(202, AccountDeletionResponse, 'The account is being deleted', 400)
  remove(
    @IdParam("The account's ID") id: string,
    @Body() body: DeleteAccountDto,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.remove(id, body, actor);
  }

  @Post(':id/delete')
  @AdminAccess('write')
  @Operation({
    id: 'deleteAnyAccountByPost',
    summary: 'Delete an account without a DELETE body',
    description: DELETION,
    examples: DELETION_EXAMPLE,
  })
  @Returns(202, AccountDeletionResponse, 'The account is being deleted', 400)
  removeByPost(
    @IdParam("The account's ID") id: string,
    @Body() body: DeleteAccountDto,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.remove(id, body, actor);
  }
}
