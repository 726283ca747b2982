import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator';
import { RateLimit } from '../access/rate-limit.decorator';
import { ApiErrors } from '../http/api-failures';
import { PageResponse } from '../http/page-answer';
import { ResultService } from './result.service';

@ApiTags('Pages')
@Controller('result')
@Access.public()
@RateLimit.none()
export class ResultController {
  constructor(private readonly service: ResultService) {}

  @Get(':code')
  @PageResponse('The short URL that was made')
  @ApiErrors(404)
  show(@Param('code') code: string): Promise<string> {
    return this.service.show(code);
  }
}
