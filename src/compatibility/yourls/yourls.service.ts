import { Injectable } from '@nestjs/common';
import { demandScope } from '../../auth/access.guard';
import type { Scope } from '../../auth/principal';
import { BusyError, CurtailError, UnprocessableError } from '../../common/errors';
import type { TextInput } from '../../common/http/text-input';
import { parseUrl } from '../../config/url';
import { DestinationBlockedError, DestinationError } from '../../links/making/links.errors';
import { decodeCode } from '../../stores/links/alias-form';
import { UnknownLinkError } from '../../stores/links/link.errors';
import {
  CompatibleLinksService,
  type LinkFields,
  type ShownLink,
} from '../compatible-links.service';
import type { Call } from '../compatible-request';
import { fitTitle, withScheme } from '../foreign-text';
import {
  type YourlsBody,
  YourlsError,
  YourlsRequestError,
  YourlsShortenError,
} from './yourls.errors';

/** The version of YOURLS whose API this is. */
const VERSION = '1.10.4';
const MAX_LISTED = 100;
const NO_SIMPLE_STATISTICS = 'Need either XML or JSON format for stats';
const NOT_FOUND = 'Error: short URL not found';

interface YourlsCall extends Pick<Call, 'caller' | 'client'> {
  readonly input: TextInput;
}

interface YourlsAction {
  readonly scope: Scope | null;
  readonly run: (service: YourlsService, call: YourlsCall) => Promise<YourlsBody> | YourlsBody;
}

const ACTIONS: ReadonlyMap<string, YourlsAction> = new Map<string, YourlsAction>([
  ['shorturl', { scope: 'shorten:create', run: (service, call) => service.shorten(call) }],
  ['expand', { scope: 'urls:read', run: (service, call) => service.expand(call) }],
  ['url-stats', { scope: 'urls:read', run: (service, call) => service.linkStatistics(call) }],
  ['stats', { scope: 'urls:read', run: (service, call) => service.statistics(call) }],
  ['db-stats', { scope: 'urls:read', run: (service, call) => service.totals(call) }],
  ['version', { scope: null, run: () => ({ fields: { version: VERSION }, simple: VERSION }) }],
]);

@Injectable()
export class YourlsService {
  constructor(private readonly links: CompatibleLinksService) {}

  async run(call: YourlsCall): Promise<YourlsBody> {
    const { input, caller } = call;
    if (input('format') === 'jsonp') {
      throw new YourlsRequestError('This service has no JSONP: use format=json');
    }
    const action = ACTIONS.get(input('action') ?? '');
    if (action === undefined) {
      throw new YourlsRequestError('Unknown or missing "action" parameter');
    }
    if (action.scope !== null) demandScope(caller, action.scope);
    return action.run(this, call);
  }

  async shorten(call: YourlsCall): Promise<YourlsBody> {
    const [keyword, title] = [call.input('keyword'), call.input('title')];
    const fields = {
      long_url: withScheme(call.input('url') ?? '') || undefined,
      alias: keyword ?? undefined,
      title: title === null ? null : fitTitle(title),
      reuse: true,
    };
    const { link, isReused } = await this.create(fields, keyword ?? '', call);
    const url = {
      keyword: link.alias,
      url: link.long_url,
      title: titleOf(link),
      date: toYourlsTime(link.created_at),
      ip: '',
      ...(isReused && { clicks: clicksOf(link) }),
    };
    const message = `${link.long_url} added to database`;
    return {
      fields: {
        url,
        status: 'success',
        code: '',
        message,
        title: url.title,
        errorCode: '',
        statusCode: '200',
        shorturl: link.short_url,
      },
      simple: link.short_url,
    };
  }

  async expand(call: YourlsCall): Promise<YourlsBody> {
    const { alias: keyword, link } = await this.find(call);
    if (link === null) {
      const fields = { keyword, message: NOT_FOUND, errorCode: '404' };
      throw new YourlsError(404, 'not_found', { fields, simple: 'not found' });
    }
    return {
      fields: {
        keyword: link.alias,
        shorturl: link.short_url,
        longurl: link.long_url,
        title: titleOf(link),
        message: 'success',
        statusCode: '200',
      },
      simple: link.long_url,
    };
  }

  async linkStatistics(call: YourlsCall): Promise<YourlsBody> {
    const { link } = await this.find(call);
    if (link === null) {
      const fields = { statusCode: '404', message: NOT_FOUND };
      throw new YourlsError(404, 'not_found', { fields, simple: NO_SIMPLE_STATISTICS });
    }
    return statisticsBody({ statusCode: '200', message: 'success', link: toYourlsLink(link) });
  }

  async statistics({ input, caller }: YourlsCall): Promise<YourlsBody> {
    const filter = input('filter') ?? 'top';
    const isByTime = ['last', 'rand', 'random'].includes(filter);
    const { links, total, totalClicks } = await this.links.list(
      {
        filter: {},
        sortBy: isByTime ? 'created_at' : 'total_clicks',
        descending: filter !== 'bottom',
        skip: readCount(input('start')),
        limit: Math.min(readCount(input('limit')), MAX_LISTED),
      },
      caller,
    );
    const listed = links.map((link, at) => [`link_${at + 1}`, toYourlsLink(link)] as const);
    return statisticsBody({
      ...(links.length > 0 && { links: Object.fromEntries(listed) }),
      stats: { total_links: total, total_clicks: totalClicks },
      statusCode: '200',
      message: 'success',
    });
  }

  async totals({ caller }: YourlsCall): Promise<YourlsBody> {
    const nothing = {
      filter: {},
      sortBy: 'created_at',
      descending: true,
      skip: 0,
      limit: 0,
    } as const;
    const { total, totalClicks } = await this.links.list(nothing, caller);
    return statisticsBody({
      'db-stats': { total_links: total, total_clicks: totalClicks },
      statusCode: '200',
      message: 'success',
    });
  }

  private async create(fields: LinkFields, keyword: string, { caller, client }: YourlsCall) {
    try {
      return await this.links.create(fields, caller, client);
    } catch (error) {
      throw error instanceof CurtailError ? toShortenError(error, keyword) : error;
    }
  }

  private async find({
    input,
    caller,
  }: YourlsCall): Promise<{ alias: string; link: ShownLink | null }> {
    const { alias, host } = readShortUrl(input('shorturl') ?? '');
    try {
      const link = await this.links.findByAlias(alias, caller, host);
      return { alias, link: await this.links.toShown(link) };
    } catch (error) {
      if (error instanceof UnknownLinkError) return { alias, link: null };
      throw error;
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

/** A check of the destination may succeed later. */
const RECHECK_SECONDS = 5;

/** Other errors, such as 503, have no code in YOURLS. */
export function toShortenError(error: CurtailError, keyword: string): CurtailError {
  const [field] =
    error instanceof UnprocessableError ? error.problems.map((p) => p.field) : [error.field];
  if (error instanceof DestinationBlockedError) {
    if (error.verdict === 'unfinished') return new BusyError(error.message, RECHECK_SECONDS);
    return new YourlsShortenError('error:spam', error.message, error);
  }
  if (error instanceof DestinationError && error.objection === 'loop') {
    return new YourlsShortenError('error:noloop', 'URL is a short URL', error);
  }
  if (field === 'long_url') {
    return new YourlsShortenError('error:nourl', 'Missing or malformed URL', error);
  }
  if (field !== 'alias') return error;
  const message = `Short URL ${keyword} already exists in database or is reserved`;
  return new YourlsShortenError('error:keyword', message, error);
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
