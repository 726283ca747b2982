import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { NotFoundError } from '../common/errors';
import { toAsset, type HttpResult, SendsResult } from '../common/http/http-result';
import { AppLinksOptions } from '../config/options';

/** Lets phones open short links in the operator's apps (docs/contract.md#26.6). */
@ApiExcludeController()
@Controller('.well-known')
@Access.public()
@RateLimit.none()
export class AppLinksController {
  constructor(private readonly files: AppLinksOptions) {}

  @Get('apple-app-site-association')
  @SendsResult()
  readApple(): HttpResult {
    return toAppLinksFile(this.files.apple);
  }

  @Get('assetlinks.json')
  @SendsResult()
  readAndroid(): HttpResult {
    return toAppLinksFile(this.files.android);
  }
}

function toAppLinksFile(content: string | null): HttpResult {
  if (content === null) throw new NotFoundError();
  return toAsset('application/json', content);
}
