import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { assetOf, type HttpResult, SendsResult } from '../common/http/http-result';

/** In the order of the cascade; the build copies them beside the compiled controller. */
const STYLES = ['ground.css', 'controls.css', 'figures.css'];

/** A long bar cut short. */
const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1d4ed8"/>
<path d="M7 16h9" stroke="#fff" stroke-width="5" stroke-linecap="round"/>
<path d="M22 9v14" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
</svg>
`;

/** The few files that pages ask for, read once at the start. */
@ApiExcludeController()
@Controller('static')
@Access.public()
@RateLimit.none()
export class StaticController {
  private readonly css = assetOf('text/css; charset=utf-8', STYLES.map(readStyle).join(''));
  private readonly icon = assetOf('image/svg+xml; charset=utf-8', FAVICON);

  @Get('curtail.css')
  @SendsResult()
  stylesheet(): HttpResult {
    return this.css;
  }

  @Get('favicon.svg')
  @SendsResult()
  favicon(): HttpResult {
    return this.icon;
  }
}

function readStyle(name: string): string {
  return readFileSync(join(__dirname, 'style', name), 'utf8');
}
