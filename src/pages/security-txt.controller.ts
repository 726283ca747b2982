import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { NotFoundError } from '../common/errors';
import { toAsset, type HttpResult, SendsResult } from '../common/http/http-result';
import { DAY_MS } from '../common/time';
import { HttpOptions, SecurityContactOptions } from '../config/options';

/** RFC 9116 requires less than a year. */
const GOOD_FOR_DAYS = 90;

/** Contact for security reports (RFC 9116), if configured by the operator. */
@Injectable()
export class SecurityTxtService {
  constructor(
    private readonly security: SecurityContactOptions,
    private readonly http: HttpOptions,
  ) {}

  read(now = Date.now()): HttpResult {
    const { contact } = this.security;
    if (contact === null) throw new NotFoundError();
    // The time changes only once a day, so that the ETag does, too.
    const expires = new Date((Math.floor(now / DAY_MS) + GOOD_FOR_DAYS) * DAY_MS);
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires.toISOString()}`,
      `Canonical: ${this.http.baseUrl}/.well-known/security.txt`,
    ];
    return toAsset('text/plain; charset=utf-8', Buffer.from(`${lines.join('\n')}\n`));
  }
}

@ApiExcludeController()
@Controller('.well-known')
@Access.public()
@RateLimit.none()
export class SecurityTxtController {
  constructor(private readonly service: SecurityTxtService) {}

  @Get('security.txt')
  @SendsResult()
  read(): HttpResult {
    return this.service.read();
  }
}
