import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../access/access.decorator';
import { CurrentClient } from '../../access/caller';
import { RateLimit } from '../../access/rate-limit.decorator';
import { Client } from '../../platform/address/client';
import { legacyInput } from '../legacy-input';
import { LegacyFailures } from '../legacy-failures';
import { ShortenResponseService } from './shorten-answer.service';
import { EmojiFields, ShortenFields, ApiShortenResponse } from './shorten-fields.decorator';
import { LegacyShortenService } from './legacy-shorten.service';

@ApiTags('v0')
@Controller()
@Access.public()
export class LegacyShortenController {
  constructor(
    private readonly service: LegacyShortenService,
    private readonly answer: ShortenResponseService,
  ) {}

  @Post()
  @RateLimit('legacy.shorten')
  @ShortenFields()
  @ApiShortenResponse()
  @LegacyFailures(400, 403, 413, 429)
  async shorten(
    @Req() request: Request,
    @Res() response: Response,
    @CurrentClient() client: Client,
  ): Promise<void> {
    const link = await this.service.shorten(legacyInput(request), client);
    this.answer.send(link, request, response);
  }

  @Post('emoji')
  @RateLimit('legacy.emoji')
  @EmojiFields()
  @ApiShortenResponse()
  @LegacyFailures(400, 403, 413, 429)
  async shortenToEmoji(
    @Req() request: Request,
    @Res() response: Response,
    @CurrentClient() client: Client,
  ): Promise<void> {
    const link = await this.service.shortenToEmoji(legacyInput(request), client);
    this.answer.send(link, request, response);
  }

  @Get('emoji')
  @RateLimit('legacy.emoji')
  @EmojiFields()
  @ApiShortenResponse()
  @LegacyFailures(400, 403, 429)
  async shortenToEmojiByQuery(
    @Req() request: Request,
    @Res() response: Response,
    @CurrentClient() client: Client,
  ): Promise<void> {
    const link = await this.service.shortenToEmoji(legacyInput(request), client);
    this.answer.send(link, request, response);
  }
}
