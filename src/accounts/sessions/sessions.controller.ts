import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../auth/access.decorator';
import { CurrentClient } from '../../auth/caller';
import { DEVICE_COOKIE, readCookie } from '../../auth/cookies';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { IgnoresBody } from '../../common/http/body-fault.interceptor';
import { Client } from '../../infrastructure/client-address/client';
import { DoneResponse, SignedInResponse, TokenResponse } from '../account.response';
import { LoginDto } from '../accounts.dto';
import { AccountsService } from '../accounts.service';
import { SignInService } from './sign-in.service';

@ApiTags('Accounts')
@Controller('auth')
@Access.public()
export class SessionsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly signIn: SignInService,
  ) {}

  @Post('login')
  @HttpCode(200)
  @RateLimit('auth.login')
  @ApiOkResponse({ type: SignedInResponse })
  @ApiErrors(401, 413, 422, 429)
  login(
    @Body() body: LoginDto,
    @CurrentClient() client: Client,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInResponse> {
    const device = readCookie(request, DEVICE_COOKIE);
    return this.accounts.login(body, { client, device }, response);
  }

  @Post('refresh')
  @HttpCode(200)
  @RateLimit('auth.refresh')
  @ApiCookieAuth('refresh_token')
  @ApiOkResponse({ type: TokenResponse })
  @ApiErrors(401, 403, 429)
  async refresh(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenResponse> {
    return { access_token: await this.signIn.refresh(request, response) };
  }

  @Post('logout')
  @HttpCode(200)
  @IgnoresBody()
  @RateLimit('auth.logout')
  @ApiOkResponse({ type: DoneResponse })
  @ApiErrors(429)
  logout(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DoneResponse> {
    return this.signIn.close(request, response).then(() => ({ success: true }));
  }
}
