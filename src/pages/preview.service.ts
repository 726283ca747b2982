import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../config/options';
import { previewPage } from './preview-page';
import { LinkPagesService } from './shown-links.service';

/** GET /{code}+ (contract 8.3). */
@Injectable()
export class PreviewService {
  constructor(
    private readonly links: LinkPagesService,
    private readonly http: HttpOptions,
  ) {}

  async show(code: string): Promise<string> {
    return previewPage(await this.links.find(code), this.http.baseUrl);
  }
}
