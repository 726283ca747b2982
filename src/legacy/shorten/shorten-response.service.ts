import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HttpOptions } from '../../config/options';
import { shortUrl } from '../../links/link.response';
import type { Link } from '../../links/link';
import { wantsLegacyJson } from '../legacy-input';

/** The answer to a v0 shortening: JSON for JSON callers, the way to the result page for others. */
@Injectable()
export class ShortenResponseService {
  constructor(private readonly http: HttpOptions) {}

  send(link: Link, request: Request, response: Response): void {
    if (!wantsLegacyJson(request)) {
      response.redirect(302, `/result/${encodeURIComponent(link.alias)}`);
      return;
    }
    response.status(200).json({
      short_url: shortUrl(this.http.baseUrl, link.alias),
      domain: new URL(this.http.baseUrl).hostname,
      original_url: link.longUrl,
    });
  }
}
