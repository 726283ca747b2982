import { Body, Controller, Get, Header, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiConsumes, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { RedirectHandler } from '../redirect.handler';
import { LinkPasswordFilter } from './link-password.filter';
import { LinkPasswordService } from './link-password.service';
import { LinkPasswordAttempts } from './link-password.verifier';

/** Short URLs as far as the redirect handler passes them on: links with a password. */
@ApiTags('Redirect')
@Controller()
@Access.public()
@RateLimit.none()
@UseFilters(LinkPasswordFilter)
export class LinkPasswordController {
  constructor(
    private readonly service: LinkPasswordService,
    private readonly redirects: RedirectHandler,
    private readonly attempts: LinkPasswordAttempts,
  ) {}

  /** The password comes in a header, which wins, or in the query. */
  @Get(':code')
  @Header('Cache-Control', 'no-store')
  @Header('X-Robots-Tag', 'noindex, nofollow')
  @ApiResponse({ status: 302, description: 'Redirect to the destination' })
  @ApiErrors(401, 403, 404, 410, 429)
  open(@Param('code') code: string, @Req() request: Request, @Res() response: Response) {
    const password = request.get('x-link-password') ?? request.query.password;
    return this.service.open(
      code,
      this.attempts.of(password, request, response),
      this.redirects.visitOf(request, request.originalUrl.split('?').slice(1).join('?')),
      this.redirects.sender(response, 302),
    );
  }

  @Post(':code/password')
  @Header('Cache-Control', 'no-store')
  @Header('X-Robots-Tag', 'noindex, nofollow')
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiResponse({ status: 303, description: 'Redirect to the destination' })
  @ApiErrors(400, 401, 403, 404, 410, 413, 429)
  submit(
    @Param('code') code: string,
    @Body('password') password: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    return this.service.submit(
      code,
      this.attempts.of(password, request, response),
      this.redirects.visitOf(request, ''),
      this.redirects.sender(response, 303),
    );
  }
}
