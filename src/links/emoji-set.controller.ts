import { Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import emojiData from 'unicode-emoji-json/data-by-emoji.json';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { toAsset, type AssetResult, SendsResult } from '../common/http/http-result';
import { Operation } from '../common/http/route.decorators';
import { DAY_MS } from '../common/time';
import { withoutVariation } from '../stores/links/alias-form';
import { EMOJI } from './making/alias';
import { MAX_EMOJI, shapeEmojiAlias } from './making/emoji-alias';
import { EmojiSetResponse } from './emoji-set.response';

/** The emoji that this Node.js version knows, in Unicode order. */
export function emojiSet(): EmojiSetResponse {
  const generated = new Set(EMOJI);
  const known = Object.entries(emojiData)
    .map(([text, about]) => ({ ...about, c: withoutVariation(text) }))
    .filter(({ c }) => shapeEmojiAlias(c) === c)
    .map((about) => ({ ...about, gen: generated.has(about.c), version: +about.emoji_version }));
  const newest = (emoji: typeof known): number => Math.max(...emoji.map(({ version }) => version));
  return {
    accept_max_version: newest(known),
    generate_max_version: newest(known.filter(({ gen }) => gen)),
    max_graphemes: MAX_EMOJI,
    emoji: known.map(({ c, name, group, gen }) => ({ c, n: name.toLowerCase(), g: group, gen })),
  };
}

@ApiTags('Links')
@Controller('api/v1/emoji-set')
@Access.public()
export class EmojiSetController {
  private set?: AssetResult;

  @Get()
  @SendsResult()
  @RateLimit('emoji-set')
  @Operation({
    id: 'getEmojiSet',
    summary: 'List the emoji for aliases',
    description: 'Lists all single emoji that aliases can contain, with their names and groups.',
  })
  @ApiExtraModels(EmojiSetResponse)
  @ApiOkResponse({
    description: 'The emoji set, which changes only with a new version of the service',
    content: { 'application/json': { schema: { $ref: getSchemaPath(EmojiSetResponse) } } },
  })
  show(): AssetResult {
    return (this.set ??= EmojiSetController.made());
  }

  private static made(): AssetResult {
    const [maxAgeSeconds, staleSeconds] = [DAY_MS / 1000, (7 * DAY_MS) / 1000];
    const text = JSON.stringify(emojiSet());
    const options = { maxAgeSeconds, isCompressible: true };
    const asset = toAsset('application/json; charset=utf-8', text, options);
    const caching = `public, max-age=${maxAgeSeconds}, stale-while-revalidate=${staleSeconds}`;
    return { ...asset, headers: { ...asset.headers, 'Cache-Control': caching } };
  }
}
