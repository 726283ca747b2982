import { applyDecorators, Controller, Get, Post, UseFilters } from '@nestjs/common';
import { ApiConsumes, ApiOkResponse, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { CurrentClient } from '../../auth/caller';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { Client } from '../../infrastructure/client-address/client';
import { LegacyExceptionFilter } from '../legacy-exception.filter';
import { CurrentLegacyRequest, type LegacyRequest } from '../legacy-request';
import { LegacyFailures } from '../legacy.errors';
import { LegacyShortenService } from './legacy-shorten.service';

type Fields = Record<string, { description: string; required?: boolean }>;

const COMMON: Fields = {
  url: { description: 'The destination, at most 2048 characters', required: true },
  password: { description: 'A link password' },
  'max-clicks': { description: 'Closes the link after so many clicks, 1 or more' },
  'expires-in': { description: 'Closes the link after so many seconds, at most 10 years' },
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
@UseFilters(LegacyExceptionFilter)
export class LegacyShortenController {
  constructor(private readonly service: LegacyShortenService) {}

  @Post()
  @SendsResult()
  @RateLimit('legacy.shorten')
  @ShortenFields()
  @ApiShortenResponse()
  @LegacyFailures(400, 403, 413, 429)
  shorten(
    @CurrentLegacyRequest() request: LegacyRequest,
    @CurrentClient() client: Client,
  ): Promise<HttpResult> {
    return this.service.shorten(request, client);
  }

  @Post('emoji')
  @SendsResult()
  @RateLimit('legacy.emoji')
  @EmojiFields()
  @ApiShortenResponse()
  @LegacyFailures(400, 403, 413, 429)
  shortenToEmoji(
    @CurrentLegacyRequest() request: LegacyRequest,
    @CurrentClient() client: Client,
  ): Promise<HttpResult> {
    return this.service.shortenToEmoji(request, client);
  }

  @Get('emoji')
  @SendsResult()
  @RateLimit('legacy.emoji')
  @EmojiFields()
  @ApiShortenResponse()
  @LegacyFailures(400, 403, 429)
  shortenToEmojiByQuery(
    @CurrentLegacyRequest() request: LegacyRequest,
    @CurrentClient() client: Client,
  ): Promise<HttpResult> {
    return this.service.shortenToEmoji(request, client);
  }
}
