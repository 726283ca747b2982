import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator';
import { RateLimit } from '../access/rate-limit.decorator';
import { ApiErrors } from '../http/api-failures';
import { PageResponse } from '../http/page-answer';
import { PreviewService } from './preview.service';

@ApiTags('Pages')
@Controller()
@Access.public()
export class PreviewController {
  constructor(private readonly service: PreviewService) {}

  @Get(':code\\+')
  @RateLimit('pages.preview')
  @Header('X-Robots-Tag', 'noindex, nofollow')
  @PageResponse('The destination of a short link, without following it')
  @ApiErrors(404, 410, 429)
  show(@Param('code') code: string): Promise<string> {
    return this.service.show(code);
  }
}
