import {
  Body,
  Controller,
  Get,
  Header,
  type HttpRedirectResponse,
  HttpStatus,
  Param,
  Post,
  Redirect,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import {
  ApiFoundResponse,
  ApiHeader,
  ApiQuery,
  ApiSeeOtherResponse,
  ApiTags,
} from '@nestjs/swagger';
import type express from 'express';
import { Access } from '../../auth/access';
import { AlsoLimited, RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors, Operation } from '../../common/http/route.decorators';
import { RequestedDomainId } from '../../common/http/requested-domain.decorator';
import { answerHeaders, RATE_LIMIT_HEADERS } from '../../common/openapi/answer-headers';
import { PASSWORD_CODES } from '../../common/openapi/error-answers';
import { FormBody } from '../../common/http/form-fields';
import { CodeParam } from '../../common/openapi/properties';
import { HttpOptions } from '../../config/options';
import { RedirectHandler } from '../redirect.handler';
import { toFirstVisit, rawQuery, REFERRER_FIELD } from './first-visit';
import { LinkPasswordFilter } from './link-password.filter';
import { LinkPasswordService } from './link-password.service';
import { LinkPasswordAttempts, PASSWORD_LIMITS } from './link-password.verifier';

@ApiTags('Redirect')
@Controller()
@CodeParam()
@Access.public()
@RateLimit.none()
@UseFilters(LinkPasswordFilter)
export class LinkPasswordController {
  constructor(
    private readonly service: LinkPasswordService,
    private readonly redirects: RedirectHandler,
    private readonly attempts: LinkPasswordAttempts,
    private readonly http: HttpOptions,
  ) {}

  /** The password header takes precedence over the query. */
  @Get(':code')
  @Header('Cache-Control', 'no-store')
  @Header('X-Robots-Tag', 'noindex, nofollow')
  @AlsoLimited(PASSWORD_LIMITS)
  @Operation({
    id: 'followLink',
    summary: 'Follow a short link',
    description:
      "Counts a click and redirects to the destination. A link's password can be sent in a header or in the query.",
    head: {
      id: 'resolveLink',
      summary: 'Look up where a short link leads',
      description: 'Like GET, but does not count a click, use up the click limit or block bots.',
    },
  })
  @ApiHeader({
    name: 'X-Link-Password',
    required: false,
    description: "The link's password; takes precedence over the query",
    schema: { type: 'string' },
  })
  @ApiQuery({
    name: 'password',
    required: false,
    type: String,
    description: "The link's password. Use the header if possible, because URLs are logged",
  })
  @ApiFoundResponse({
    description: 'Redirect to the destination',
    headers: answerHeaders('Location', ...RATE_LIMIT_HEADERS),
  })
  @ApiErrors([401, ...PASSWORD_CODES], [403, 'forbidden'], 404, 410, 429)
  open(
    @Param('code') code: string,
    @RequestedDomainId() domainId: string | null,
    @Req() request: express.Request,
    @Res() response: express.Response,
  ) {
    const password = request.get('x-link-password') ?? request.query.password;
    return this.service.open(
      code,
      domainId,
      this.attempts.presented(password, request, response),
      this.redirects.toVisit(request, rawQuery(request)),
      this.redirects.sender(response, 302),
    );
  }

  @Post(':code/password')
  @Header('Cache-Control', 'no-store')
  @Header('X-Robots-Tag', 'noindex, nofollow')
  @AlsoLimited(PASSWORD_LIMITS)
  @Operation({
    id: 'unlockLink',
    summary: 'Follow a short link with its password',
    description: 'Handles the password form, counts a click and redirects to the destination.',
    examples: { password: { summary: 'The password', value: { password: 'tulips@2030' } } },
  })
  @FormBody({
    password: { description: "The link's password", required: true, example: 'tulips@2030' },
    [REFERRER_FIELD]: {
      description: "The original visit's referrer. Default: this request's referrer",
      example: 'https://mail.example',
    },
  })
  @ApiSeeOtherResponse({
    description: 'Redirect to the destination',
    headers: answerHeaders('Location', ...RATE_LIMIT_HEADERS),
  })
  @ApiErrors([401, ...PASSWORD_CODES], [403, 'forbidden'], 404, 410, 429)
  submit(
    @Param('code') code: string,
    @RequestedDomainId() domainId: string | null,
    @Body('password') password: unknown,
    @Req() request: express.Request,
    @Res() response: express.Response,
  ) {
    const { query, referer } = toFirstVisit(request, this.http.baseUrl, true);
    return this.service.submit(
      code,
      domainId,
      this.attempts.presented(password, request, response),
      { ...this.redirects.toVisit(request, query), referer },
      this.redirects.sender(response, 303),
    );
  }

  /** Handles reloads and bookmarks for the URL to which the form posts. */
  @Get(':code/password')
  @Redirect()
  @Header('Cache-Control', 'no-store')
  @Header('X-Robots-Tag', 'noindex, nofollow')
  @Operation({
    id: 'openPasswordForm',
    summary: 'Return to a short link with a password',
    description:
      'Redirects to the short link and keeps the campaign parameters. Does not count a click.',
  })
  @ApiSeeOtherResponse({
    description: 'Redirect to the short link',
    headers: answerHeaders('Location'),
  })
  toForm(@Param('code') code: string, @Req() request: express.Request): HttpRedirectResponse {
    const { query } = toFirstVisit(request, this.http.baseUrl, false);
    return {
      url: `/${encodeURIComponent(code)}${query && `?${query}`}`,
      statusCode: HttpStatus.SEE_OTHER,
    };
  }
}
