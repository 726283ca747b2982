import { applyDecorators, Controller, Get, Post, UseFilters } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentExchange, type Exchange } from '../../analytics/engine/statistics-client.decorator';
import { Access, type Caller, CurrentCaller, CurrentClient } from '../../auth/access';
import { isOwnForm } from '../../auth/cookies';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ChangesOnGet } from '../../common/http/changes-on-get.decorator';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { FormBody, type FormFields, FormQuery } from '../../common/http/form-fields';
import { Operation } from '../../common/http/route.decorators';
import { HttpOptions } from '../../config/options';
import { Client } from '../../infrastructure/client-address/client-address';
import { MAX_URL_LENGTH } from '../../links/making/destination';
import { ClaimCookie } from '../../links/claim/claim-cookie';
import { LegacyExceptionFilter } from '../refusals/legacy-exception.filter';
import { CurrentLegacyRequest, type LegacyRequest } from '../request/legacy-request';
import { LegacyFailures } from '../request/legacy.errors';
import { LegacyShortenService, type Shortened } from './legacy-shorten.service';
import { LegacyLinkResponse } from './legacy-shorten.response';

const COMMON = {
  url: {
    description: 'The destination',
    required: true,
    example: 'https://example.com/spring/sale',
    schema: { maxLength: MAX_URL_LENGTH },
  },
  password: {
    description:
      'A password for the link: 8 to 128 characters, including a letter, a digit, and `@` or `.`',
  },
  'max-clicks': {
    description: 'Closes the link after this many clicks',
    schema: { pattern: '^[0-9]*$' },
  },
  'expires-in': {
    description: 'Closes the link after this many seconds, up to 10 years',
    schema: { pattern: '^[0-9]*$' },
  },
  'block-bots': {
    description: 'Blocks known bots, unless it is `false`, `0`, `off` or `no`',
  },
} as const satisfies FormFields;

const SHORTEN_FIELDS: FormFields = {
  ...COMMON,
  alias: { description: '3 to 16 letters, digits, `-` and `_`; longer values are truncated' },
};

const EMOJI_FIELDS: FormFields = {
  ...COMMON,
  emojies: { description: '1 to 15 single emoji; 3 random emoji if absent' },
};

function ApiShortenResponse(): MethodDecorator {
  return applyDecorators(
    ApiOkResponse({
      description: 'The short link, if `Accept` contains application/json',
      type: LegacyLinkResponse,
    }),
    ApiFoundResponse({
      description: 'Otherwise, a redirect to /result/{code}',
      headers: answerHeaders('Location'),
    }),
  );
}

const FIELD_ERRORS = ['PasswordError', 'MaxClicksError', 'ExpiresInError'] as const;
const SHORTEN_ERRORS = ['UrlError', 'AliasError', ...FIELD_ERRORS] as const;
const EMOJI_ERRORS = ['UrlError', 'EmojiError', ...FIELD_ERRORS] as const;

const EMOJI_TEXT =
  'Creates an ownerless link with an alias that consists of emoji. Fields can also be in the query; the form takes precedence.';

@ApiTags('v0')
@Controller()
@Access.page()
@UseFilters(LegacyExceptionFilter)
export class LegacyShortenController {
  constructor(
    private readonly service: LegacyShortenService,
    private readonly cookie: ClaimCookie,
    private readonly http: HttpOptions,
  ) {}

  @Post()
  @SendsResult()
  @RateLimit('legacy.shorten', 'links.create')
  @Operation({
    id: 'createLegacyLink',
    deprecated: true,
    summary: 'Shorten an address from a form',
    description:
      "Creates an ownerless link with public statistics. If a signed-in browser submits the home page's form, the link belongs to the account and counts toward its limits. Fields can also be in the query; the form takes precedence, and an empty value counts as absent.",
    examples: {
      form: { summary: 'An address', value: { url: 'https://example.com/spring/sale' } },
    },
  })
  @FormBody(SHORTEN_FIELDS)
  @ApiShortenResponse()
  @LegacyFailures({ 401: [] }, 'page')
  @LegacyFailures({ 400: SHORTEN_ERRORS, 403: ['BlockedUrlError', 'UrlError'] })
  shorten(
    @CurrentLegacyRequest() request: LegacyRequest,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
    @CurrentExchange() exchange: Exchange,
  ): Promise<HttpResult> {
    return this.kept(this.service.shorten(request, caller, client), exchange);
  }

  @Post('emoji')
  @SendsResult()
  @RateLimit('legacy.emoji', 'links.create')
  @Operation({
    id: 'createLegacyEmojiLink',
    deprecated: true,
    summary: 'Shorten an address to emoji',
    description: EMOJI_TEXT,
    examples: {
      form: { summary: 'An address', value: { url: 'https://example.com/spring/sale' } },
    },
  })
  @FormBody(EMOJI_FIELDS)
  @ApiShortenResponse()
  @LegacyFailures({ 401: [] }, 'page')
  @LegacyFailures({ 400: EMOJI_ERRORS, 403: ['UrlError'] })
  shortenToEmoji(
    @CurrentLegacyRequest() request: LegacyRequest,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
    @CurrentExchange() exchange: Exchange,
  ): Promise<HttpResult> {
    return this.kept(this.service.shortenToEmoji(request, caller, client), exchange);
  }

  /** Never creates links for an account, because any site can send a browser here. */
  @Get('emoji')
  @Access.public()
  @ChangesOnGet('POST')
  @SendsResult()
  @RateLimit('legacy.emoji')
  @Operation({
    id: 'createLegacyEmojiLinkByQuery',
    deprecated: true,
    summary: 'Shorten an address to emoji, by query',
    description: 'Like POST /emoji, with all fields in the query.',
  })
  @FormQuery(EMOJI_FIELDS)
  @ApiShortenResponse()
  @LegacyFailures({ 400: EMOJI_ERRORS, 403: ['UrlError'] })
  async shortenToEmojiByQuery(
    @CurrentLegacyRequest() request: LegacyRequest,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
  ): Promise<HttpResult> {
    return (await this.service.shortenToEmoji(request, caller, client)).result;
  }

  /** Adds a claim token if the browser is not signed in. */
  private async kept(
    creation: Promise<Shortened>,
    { request, response }: Exchange,
  ): Promise<HttpResult> {
    const { result, claim } = await creation;
    // Prevents another site from adding its links to the account of the next user who signs in.
    if (claim !== null && isOwnForm(request, this.http)) this.cookie.keep(claim, request, response);
    return result;
  }
}
