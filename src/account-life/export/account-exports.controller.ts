import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation, Returns } from '../../common/http/route.decorators';
import { type FileResult, SendsResult } from '../../common/http/http-result';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { Client } from '../../infrastructure/client-address/client-address';
import {
  AccountExportResponse,
  AccountExportsResponse,
  RemovedExportResponse,
} from './account-export.response';
import { AccountExportsService } from './account-exports.service';

const EXPORT_ID = "The export's ID";
const ZIP_CONTENT = { 'application/zip': { schema: { type: 'string', format: 'binary' } } };

@ApiTags('Accounts')
@Controller('api/v1/account/exports')
@Access.session({ whileLeaving: true })
export class AccountExportsController {
  constructor(private readonly service: AccountExportsService) {}

  @Post()
  @HttpCode(202)
  @RateLimit('account.export')
  @Operation({
    id: 'createAccountExport',
    summary: "Request a copy of your account's data",
    description:
      'Starts a job that writes your links, clicks and settings into a zip archive, which Curtail can import. The archive contains no passwords, keys or visitors. An email confirms the request. An account can have one unfinished export.',
  })
  @ApiAcceptedResponse({
    type: AccountExportResponse,
    description: 'The export',
    headers: answerHeaders('Location'),
  })
  @ApiErrors(409)
  async create(
    @Res({ passthrough: true }) response: express.Response,
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
  ): Promise<AccountExportResponse> {
    const created = await this.service.create(principal, client);
    response.setHeader('Location', `/api/v1/account/exports/${created.id}`);
    return created;
  }

  @Get()
  @RateLimit('account.exports')
  @Operation({
    id: 'listAccountExports',
    summary: 'List exports of your account',
    description: 'Returns up to 10 exports, newest first.',
  })
  @Returns(200, AccountExportsResponse, 'The exports')
  list(@CurrentPrincipal() principal: Principal) {
    return this.service.list(principal);
  }

  @Get(':id')
  @RateLimit('account.exports')
  @Operation({
    id: 'getAccountExport',
    summary: 'Read an export of your account',
    description: 'Returns the progress of the job, and the file once it is done.',
  })
  @Returns(200, AccountExportResponse, 'The export', 404)
  show(@IdParam(EXPORT_ID) id: string, @CurrentPrincipal() principal: Principal) {
    return this.service.show(id, principal);
  }

  @Get(':id/file')
  @RateLimit('account.export-file')
  @SendsResult()
  @Operation({
    id: 'downloadAccountExport',
    summary: 'Download an export of your account',
    description: 'Returns the zip archive. Its README.txt describes the files.',
  })
  @ApiOkResponse({
    description: 'The file',
    headers: answerHeaders('Content-Disposition'),
    content: ZIP_CONTENT,
  })
  @ApiErrors(404, 409)
  file(
    @IdParam(EXPORT_ID) id: string,
    @CurrentPrincipal() principal: Principal,
  ): Promise<FileResult> {
    return this.service.file(id, principal);
  }

  @Delete(':id')
  @RateLimit('account.exports')
  @Operation({
    id: 'removeAccountExport',
    summary: 'Remove an export of your account',
    description: 'Removes the file. An unfinished export is cancelled first.',
  })
  @Returns(200, RemovedExportResponse, 'The export is removed', 404)
  remove(@IdParam(EXPORT_ID) id: string, @CurrentPrincipal() principal: Principal) {
    return this.service.remove(id, principal);
  }
}
