import { applyDecorators, Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../../auth/access.decorator';
import { CurrentClient } from '../../auth/caller';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { Client } from '../../infrastructure/client-address/client';
import { legacyInput } from '../legacy-input';
import { LegacyFailures } from '../legacy.errors';
import { LegacyShortenService } from './legacy-shorten.service';
import { ShortenResponseService } from './shorten-response.service';

type Fields = Record<string, { description: string; required?: boolean }>;

const COMMON: Fields = {
  url: { description: 'The destination, at most 2048 characters', required: true },
  password: { description: 'A link password' },
  'max-clicks': { description: 'Closes the link after so many clicks, 1 or more' },
  'block-bots': { description: 'Any value turns known bots away' },
};

/** Every field may come in the query string, or in a form, which wins. */
function fields(all: Fields): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded', 'multipart/form-data'),
    ...Object.entries(all).map(([name, { description, required }]) =>
      ApiQuery({ name, description, required: required ?? false, type: String }),
    ),
  );
}

/** Describes the input of POST /. */
export function ShortenFields(): MethodDecorator {
  const alias = { description: '3 to 16 letters, digits, `-`, `_`; longer values are cut' };
  return fields({ ...COMMON, alias });
}

/** Describes the input of /emoji. */
export function EmojiFields(): MethodDecorator {
  return fields({
    ...COMMON,
    emojies: { description: '1 to 15 single emoji; else 3 random ones' },
  });
}

/** Describes the two forms of success. */
export function ApiShortenResponse(): MethodDecorator {
  const text = { type: 'string' } as const;
  return applyDecorators(
    ApiOkResponse({
      description: 'When `Accept` contains application/json',
      schema: {
        type: 'object',
        required: ['short_url', 'domain', 'original_url'],
        properties: { short_url: text, domain: text, original_url: text },
      },
    }),
    ApiResponse({ status: 302, description: 'Otherwise: on to /result/{code}' }),
  );
}

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
