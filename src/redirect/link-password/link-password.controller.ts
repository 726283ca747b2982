import { Body, Controller, Get, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiConsumes, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../auth/access.decorator';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { LinkPasswordFilter } from './link-password.filter';
import { LinkPasswordService } from './link-password.service';

/** Short URLs as far as the redirect front hands them on: links with a password. */
@ApiTags('Redirect')
@Controller()
@Access.public()
@RateLimit.none()
@UseFilters(LinkPasswordFilter)
export class LinkPasswordController {
  constructor(private readonly service: LinkPasswordService) {}

  @Get(':code')
  @ApiResponse({ status: 302, description: 'Redirect to the destination' })
  @ApiErrors(401, 403, 404, 410, 429)
  open(@Param('code') code: string, @Req() request: Request, @Res() response: Response) {
    return this.service.open(code, request, response);
  }

  @Post(':code/password')
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiResponse({ status: 303, description: 'Redirect to the destination' })
  @ApiErrors(400, 401, 403, 404, 410, 413, 429)
  submit(
    @Param('code') code: string,
    @Body('password') password: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    return this.service.submit(code, password, request, response);
  }
}
