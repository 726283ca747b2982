import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiCookieAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../access/access.decorator';
import { CurrentClient } from '../access/caller';
import { DEVICE_COOKIE, readCookie } from '../access/cookies';
import { RateLimit } from '../access/rate-limit.decorator';
import { ApiFailures } from '../http/api-failures';
import { IgnoresBody } from '../http/ignores-body.decorator';
import { Client } from '../platform/address/client';
import { DoneAnswer, SignedInAnswer, TokenAnswer } from './accounts.answers';
import { LoginDto } from './accounts.dto';
import { Accounts } from './accounts.service';
import { SignIn } from './sessions/sign-in.service';

@ApiTags('Accounts')
@Controller('auth')
@Access.public()
export class SessionsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly signIn: SignIn,
  ) {}

  @Post('login')
  @HttpCode(200)
  @RateLimit('auth.login')
  @ApiOkResponse({ type: SignedInAnswer })
  @ApiFailures(401, 413, 422, 429)
  login(
    @Body() body: LoginDto,
    @CurrentClient() client: Client,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedInAnswer> {
    const device = readCookie(request, DEVICE_COOKIE);
    return this.accounts.login(body, { client, device }, response);
  }

  @Post('refresh')
  @HttpCode(200)
  @RateLimit('auth.refresh')
  @ApiCookieAuth('refresh_token')
  @ApiOkResponse({ type: TokenAnswer })
  @ApiFailures(401, 403, 429)
  async refresh(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenAnswer> {
    return { access_token: await this.signIn.refresh(request, response) };
  }

  @Post('logout')
  @HttpCode(200)
  @IgnoresBody()
  @RateLimit('auth.logout')
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(429)
  logout(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DoneAnswer> {
    return this.signIn.close(request, response).then(() => ({ success: true }));
  }
}
