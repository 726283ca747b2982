import { Injectable } from '@nestjs/common';
import { demandScope } from '../../auth/access.guard';
import type { Scope } from '../../auth/access';
import { BusyError, CurtailError, UnprocessableError } from '../../common/errors';
import type { HttpResult } from '../../common/http/http-result';
import { type TextInput, textInput } from '../../common/http/text-input';
import { parseUrl } from '../../config/url';
import { DestinationBlockedError, DestinationError } from '../../links/making/links.errors';
import { decodeCode } from '../../stores/links/alias-form';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { CompatibleLinksService, type ShownLink } from '../compatible-links.service';
import type { Call } from '../compatible-request';
import { fitTitle, withScheme } from '../foreign-text';
import { type YourlsBody, yourlsForm } from './yourls-response';
import { YourlsError, YourlsRequestError, YourlsShortenError } from './yourls.errors';

/** The version of YOURLS whose API this is. */
const VERSION = '1.10.4';
const MAX_LISTED = 100;
const BY_TIME = ['last', 'rand', 'random'];
const NO_SIMPLE_STATISTICS = 'Need either XML or JSON format for stats';
const NOT_FOUND = 'Error: short URL not found';
const SUCCESS = { statusCode: '200', message: 'success' };
/** A check of the destination may succeed later. */
const RECHECK_SECONDS = 5;

interface YourlsCall extends Call {
  readonly input: TextInput;
}

type Action = (service: YourlsService, call: YourlsCall) => Promise<YourlsBody> | YourlsBody;

const ACTIONS = new Map<string | null, readonly [scope: Scope | null, run: Action]>([
  ['shorturl', ['shorten:create', (service, call) => service.shorten(call)]],
  ['expand', ['urls:read', (service, call) => service.expand(call)]],
  ['url-stats', ['urls:read', (service, call) => service.linkStatistics(call)]],
  ['stats', ['urls:read', (service, call) => service.statistics(call)]],
  ['db-stats', ['urls:read', (service, call) => service.totals(call)]],
  ['version', [null, () => ({ fields: { version: VERSION }, simple: VERSION })]],
]);

@Injectable()
export class YourlsService {
  constructor(private readonly links: CompatibleLinksService) {}

  async run(call: Call): Promise<HttpResult> {
    const input = textInput(call.request);
    const format = input('format');
    if (format === 'jsonp') {
      throw new YourlsRequestError('This service has no JSONP: use format=json');
    }
    const [scope, act] = ACTIONS.get(input('action')) ?? [];
    if (scope === undefined || act === undefined) {
      throw new YourlsRequestError('Unknown or missing "action" parameter');
    }
    if (scope !== null) demandScope(call.caller, scope);
    const { contentType, body } = yourlsForm(format, await act(this, { ...call, input }));
    return { kind: 'text', contentType, text: body };
  }

  async shorten({ input, ...call }: YourlsCall): Promise<YourlsBody> {
    const [keyword, title] = [input('keyword') ?? undefined, input('title')];
    const fields = {
      long_url: withScheme(input('url') ?? '') || undefined,
      alias: keyword,
      title: title === null ? null : fitTitle(title),
      reuse: true,
    };
    const { link, isReused } = await this.links.create(fields, call).catch((error: unknown) => {
      throw error instanceof CurtailError ? toShortenError(error, keyword ?? '') : error;
    });
    const url = {
      keyword: link.alias,
      url: link.long_url,
      title: titleOf(link),
      date: toYourlsTime(link.created_at),
      ip: '',
      ...(isReused && { clicks: clicksOf(link) }),
    };
    const made = { errorCode: '', statusCode: '200', shorturl: link.short_url };
    const message = `${link.long_url} added to database`;
    return {
      fields: { url, status: 'success', code: '', message, title: url.title, ...made },
      simple: link.short_url,
    };
  }

  async expand(call: YourlsCall): Promise<YourlsBody> {
    const link = await this.find(call, (keyword) => ({
      fields: { keyword, message: NOT_FOUND, errorCode: '404' },
      simple: 'not found',
    }));
    const { alias: keyword, short_url: shorturl, long_url: longurl } = link;
    return {
      fields: { keyword, shorturl, longurl, title: titleOf(link), ...SUCCESS },
      simple: longurl,
    };
  }

  async linkStatistics(call: YourlsCall): Promise<YourlsBody> {
    const link = await this.find(call, () =>
      statisticsBody({ statusCode: '404', message: NOT_FOUND }),
    );
    return statisticsBody({ ...SUCCESS, link: toYourlsLink(link) });
  }

  async statistics({ input, caller }: YourlsCall): Promise<YourlsBody> {
    const filter = input('filter') ?? 'top';
    const { links, total, totalClicks } = await this.links.list(caller, {
      sortBy: BY_TIME.includes(filter) ? 'created_at' : 'total_clicks',
      descending: filter !== 'bottom',
      skip: readCount(input('start')),
      limit: Math.min(readCount(input('limit')), MAX_LISTED),
    });
    const listed = links.map((link, at) => [`link_${at + 1}`, toYourlsLink(link)] as const);
    return statisticsBody({
      ...(links.length > 0 && { links: Object.fromEntries(listed) }),
      stats: { total_links: total, total_clicks: totalClicks },
      ...SUCCESS,
    });
  }

  async totals({ caller }: YourlsCall): Promise<YourlsBody> {
    const { total, totalClicks } = await this.links.list(caller, {});
    const totals = { total_links: total, total_clicks: totalClicks };
    return statisticsBody({ 'db-stats': totals, ...SUCCESS });
  }

  private async find(
    { input, caller }: YourlsCall,
    unknown: (keyword: string) => YourlsBody,
  ): Promise<ShownLink> {
    const { alias, host } = readShortUrl(input('shorturl') ?? '');
    try {
      return await this.links.toShown(await this.links.findByAlias(alias, caller, host));
    } catch (error) {
      if (!(error instanceof UnknownLinkError)) throw error;
      throw new YourlsError(404, 'not_found', unknown(alias));
    }
  }
}

/** Reads a short URL or an alias. Its port, query and fragment do not matter. */
export function readShortUrl(text: string): { alias: string; host?: string } {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  if (url === null) return { alias: text };
  return { alias: decodeCode(url.pathname.slice(1)), host: url.hostname };
}

/** Returns 0 unless the text is a positive integer. */
export function readCount(text: string | null): number {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** Other errors, such as 503, have no code in YOURLS. */
export function toShortenError(error: CurtailError, keyword: string): CurtailError {
  const { code, message } = error;
  if (error instanceof DestinationBlockedError) {
    if (error.verdict === 'unfinished') return new BusyError(message, RECHECK_SECONDS);
    return new YourlsShortenError('error:spam', message, 'blocked');
  }
  if (error instanceof DestinationError && error.objection === 'loop') {
    return new YourlsShortenError('error:noloop', 'URL is a short URL', code);
  }
  const { field } = error instanceof UnprocessableError ? (error.problems[0] ?? error) : error;
  if (field === 'long_url') {
    return new YourlsShortenError('error:nourl', 'Missing or malformed URL', code);
  }
  if (field !== 'alias') return error;
  const taken = `Short URL ${keyword} already exists in database or is reserved`;
  return new YourlsShortenError('error:keyword', taken, code);
}

function statisticsBody(fields: object): YourlsBody {
  return { fields, simple: NO_SIMPLE_STATISTICS };
}

function toYourlsLink(link: ShownLink): object {
  return {
    shorturl: link.short_url,
    url: link.long_url,
    title: titleOf(link),
    timestamp: toYourlsTime(link.created_at),
    ip: '',
    clicks: clicksOf(link),
  };
}

const titleOf = ({ title, long_url }: ShownLink): string => title ?? long_url;

const clicksOf = ({ total_clicks, imported_clicks = 0 }: ShownLink): number =>
  total_clicks + imported_clicks;

const toYourlsTime = (iso: string): string => iso.slice(0, 19).replace('T', ' ');
