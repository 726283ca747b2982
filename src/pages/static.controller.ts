import { createHash } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../auth/access.decorator';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { CONTROLS } from './style/controls.css';
import { FIGURES } from './style/figures.css';
import { GROUND } from './style/ground.css';

/** A file that is served as it is, from memory. */
export interface StaticFile {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

function staticFile(type: string, body: string): StaticFile {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { type, body, etag: `"${digest}"` };
}

export const STYLESHEET = staticFile('text/css; charset=utf-8', GROUND + CONTROLS + FIGURES);

/** A long bar cut short. */
export const FAVICON = staticFile(
  'image/svg+xml; charset=utf-8',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1d4ed8"/>
<path d="M7 16h9" stroke="#fff" stroke-width="5" stroke-linecap="round"/>
<path d="M22 9v14" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
</svg>
`,
);

/** The few files that pages ask for; browsers keep them for an hour and then ask by ETag. */
@ApiExcludeController()
@Controller('static')
@Access.public()
@RateLimit.none()
export class StaticController {
  @Get('curtail.css')
  stylesheet(@Req() request: Request, @Res() response: Response): void {
    send(STYLESHEET, request, response);
  }

  @Get('favicon.svg')
  favicon(@Req() request: Request, @Res() response: Response): void {
    send(FAVICON, request, response);
  }
}

function send(file: StaticFile, request: Request, response: Response): void {
  response.set({ 'Cache-Control': 'public, max-age=3600', ETag: file.etag });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  response.type(file.type).send(file.body);
}
