import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../access/access.decorator';
import { RateLimit } from '../access/rate-limit.decorator';
import { FAVICON, STYLESHEET, type StaticFile } from './static-files';

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
