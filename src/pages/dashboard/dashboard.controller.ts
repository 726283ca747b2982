import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Header,
  Param,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request } from 'express';
import { Access, callerFromRequest } from '../../auth/access';
import { readCookie, REFRESH_COOKIE } from '../../auth/cookies';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { NotFoundError } from '../../common/errors';
import { readClaims } from '../../links/claim/claim-cookie';
import { type AssetFileResult, type HttpResult, SendsResult } from '../../common/http/http-result';
import { APP_POLICY, DashboardService, type DashboardVisitor } from './dashboard.service';

const CurrentVisitor = createParamDecorator(
  (_: unknown, context: ExecutionContext): DashboardVisitor => {
    const request = context.switchToHttp().getRequest<Request>();
    const theme = readCookie(request, 'theme');
    return {
      principal: callerFromRequest(request).principal,
      canRenew: readCookie(request, REFRESH_COOKIE) !== null,
      theme: theme === 'light' || theme === 'dark' ? theme : null,
      claimable: readClaims(request).length,
    };
  },
);

const CurrentPath = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Request>().originalUrl,
);

/** Serves the browser app (docs/contract.md#18.2): its page on all paths, and its files. */
@ApiExcludeController()
@Controller()
@RateLimit.none()
export class DashboardController {
  constructor(private readonly service: DashboardService) {}

  @Get(['dashboard', 'dashboard/*path'])
  @Access.page()
  @Header('Cache-Control', 'no-store')
  @Header('Vary', 'Cookie, Authorization')
  @SendsResult()
  async page(
    @CurrentVisitor() visitor: DashboardVisitor,
    @CurrentPath() path: string,
  ): Promise<HttpResult> {
    const markup = await this.service.shellFor(visitor);
    if (markup !== null) return { kind: 'page', markup, policy: APP_POLICY };
    const location = `/login?next=${encodeURIComponent(path)}`;
    return { kind: 'redirect', location, status: 303 };
  }

  @Get('static/app/:file')
  @Access.public()
  @SendsResult()
  file(@Param('file') name: string): AssetFileResult {
    const file = this.service.build.files.get(name);
    // After an update, tabs opened before it request deleted files and ask the user to reload.
    if (file === undefined) throw new NotFoundError();
    return { kind: 'asset-file', ...file };
  }
}
