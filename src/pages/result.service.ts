import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../config/options';
import { LinkGoneError, UnknownLinkError } from '../redirect/redirect.errors';
import { resultPage } from './result-page';
import { LinkPagesService } from './shown-links.service';

/** GET /result/{code} (contract 13.5): a closed link is answered like an unknown one. */
@Injectable()
export class ResultService {
  constructor(
    private readonly links: LinkPagesService,
    private readonly http: HttpOptions,
  ) {}

  async show(code: string): Promise<string> {
    try {
      return resultPage(await this.links.find(code), this.http.baseUrl);
    } catch (error) {
      throw error instanceof LinkGoneError ? new UnknownLinkError() : error;
    }
  }
}
