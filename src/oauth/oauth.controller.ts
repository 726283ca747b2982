import type { Client } from '../infrastructure/client-address/client';
import { Controller, Get, Header, Param, Query, Redirect, Req, Res } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCookieAuth,
  ApiFoundResponse,
  ApiParam,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../auth/access.decorator';
import { CurrentPrincipal } from '../auth/caller';
import { CurrentClient } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { type RedirectResult, OauthService } from './oauth.service';

const NEXT = { name: 'next', required: false, description: 'Path of this site to end at' };

@ApiTags('OAuth')
@ApiParam({ name: 'provider', enum: ['google', 'oidc'] })
@Controller('oauth/:provider')
export class OauthController {
  constructor(private readonly service: OauthService) {}

  @Get()
  @Redirect()
  @Header('Cache-Control', 'no-store')
  @Access.public()
  @RateLimit('oauth.start')
  @ApiQuery(NEXT)
  @ApiFoundResponse({ description: 'To the provider' })
  @ApiErrors(404, 429)
  start(
    @Param('provider') provider: string,
    @Query('next') next: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RedirectResult> {
    return this.service.startSignIn(provider, next, request, response);
  }

  @Get('link')
  @Redirect()
  @Header('Cache-Control', 'no-store')
  @Access.session({ verified: false, liveSession: true })
  @RateLimit('oauth.link')
  @ApiBearerAuth()
  @ApiCookieAuth('access_token')
  @ApiQuery(NEXT)
  @ApiFoundResponse({ description: 'To the provider, to link it' })
  @ApiErrors(401, 403, 404, 429)
  link(
    @Param('provider') provider: string,
    @Query('next') next: unknown,
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RedirectResult> {
    return this.service.startLink(provider, next, principal, request, response);
  }

  @Get('callback')
  @Redirect()
  @Header('Cache-Control', 'no-store')
  @Access.public()
  @RateLimit('oauth.callback')
  @ApiFoundResponse({ description: 'Signed in: both cookies are set' })
  @ApiErrors(400, 404, 409, 429)
  callback(
    @Param('provider') provider: string,
    @CurrentClient() client: Client,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RedirectResult> {
    return this.service.finish(provider, client, request, response);
  }
}
