import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCookieAuth,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Access } from '../auth/access.decorator';
import { CurrentClient, CurrentPrincipal } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { Client } from '../infrastructure/client-address/client';
import { MessageResponse, ProfileResponse, RegisteredResponse } from './account.response';
import { NewPasswordDto, RegisterDto } from './accounts.dto';
import { AccountsService } from './accounts.service';

@ApiTags('Accounts')
@Controller('auth')
export class AccountsController {
  constructor(private readonly service: AccountsService) {}

  @Post('register')
  @Access.public()
  @RateLimit('auth.register')
  @ApiCreatedResponse({ type: RegisteredResponse })
  @ApiErrors(400, 409, 413, 422, 429)
  register(
    @Body() body: RegisterDto,
    @CurrentClient() client: Client,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RegisteredResponse> {
    return this.service.register(body, client, response);
  }

  @Get('me')
  @Access.account()
  @RateLimit('auth.me')
  @ApiBearerAuth()
  @ApiCookieAuth('access_token')
  @ApiOkResponse({ type: ProfileResponse })
  @ApiErrors(401, 429)
  me(@CurrentPrincipal() principal: Principal): Promise<ProfileResponse> {
    return this.service.profile(principal);
  }

  @Post('set-password')
  @HttpCode(200)
  @Access.account({ scopes: ['admin:all'], liveSession: true })
  @RateLimit('auth.set-password')
  @ApiBearerAuth()
  @ApiCookieAuth('access_token')
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(400, 401, 403, 413, 422, 429)
  setPassword(
    @Body() body: NewPasswordDto,
    @CurrentPrincipal() principal: Principal,
    @CurrentClient() client: Client,
  ): Promise<MessageResponse> {
    return this.service.setPassword(principal, body, client);
  }
}
