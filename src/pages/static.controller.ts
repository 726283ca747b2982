import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { toAsset, type HttpResult, SendsResult } from '../common/http/http-result';

/** Style sheets in cascade order. The build copies them next to the compiled controller. */
const STYLES = [
  'variables.css',
  'ground.css',
  'frame.css',
  'controls.css',
  'chart.css',
  'figures.css',
];

@ApiExcludeController()
@Controller()
@Access.public()
@RateLimit.none()
export class StaticController {
  private readonly css = toAsset(
    'text/css; charset=utf-8',
    Buffer.concat(STYLES.map((name) => readPageFile('style', name))),
  );
  private readonly frameCss = toAsset(
    'text/css; charset=utf-8',
    Buffer.concat(['variables.css', 'frame.css'].map((name) => readPageFile('style', name))),
  );
  private readonly copyScript = toAsset(
    'text/javascript; charset=utf-8',
    readPageFile('static', 'copy.js'),
  );
  private readonly aliasScript = toAsset(
    'text/javascript; charset=utf-8',
    readPageFile('static', 'alias-check.js'),
  );
  private readonly svgIcon = toAsset(
    'image/svg+xml; charset=utf-8',
    readPageFile('static', 'favicon.svg'),
  );
  private readonly preview = toAsset('image/png', readPageFile('static', 'preview.png'));
  private readonly touchPicture = toAsset('image/png', readPageFile('static', 'touch-icon.png'));
  private readonly icon192 = toAsset('image/png', readPageFile('static', 'icon-192.png'));
  private readonly icon512 = toAsset('image/png', readPageFile('static', 'icon-512.png'));
  private readonly maskableIcon = toAsset('image/png', readPageFile('static', 'icon-maskable.png'));
  private readonly icon = toAsset('image/x-icon', readPageFile('static', 'favicon.ico'));
  private readonly robotRules = toAsset(
    'text/plain; charset=utf-8',
    readPageFile('static', 'robots.txt'),
  );

  @Get('static/curtail.css')
  @SendsResult()
  stylesheet(): HttpResult {
    return this.css;
  }

  @Get('static/copy.js')
  @SendsResult()
  script(): HttpResult {
    return this.copyScript;
  }

  @Get('static/alias-check.js')
  @SendsResult()
  aliasCheck(): HttpResult {
    return this.aliasScript;
  }

  @Get('static/frame.css')
  @SendsResult()
  frameStylesheet(): HttpResult {
    return this.frameCss;
  }

  @Get('static/preview.png')
  @SendsResult()
  previewPicture(): HttpResult {
    return this.preview;
  }

  @Get('static/touch-icon.png')
  @SendsResult()
  touchIcon(): HttpResult {
    return this.touchPicture;
  }

  /** Icons for the installed app (docs/contract.md#33.3). */
  @Get('static/icon-192.png')
  @SendsResult()
  smallAppIcon(): HttpResult {
    return this.icon192;
  }

  @Get('static/icon-512.png')
  @SendsResult()
  largeAppIcon(): HttpResult {
    return this.icon512;
  }

  @Get('static/icon-maskable.png')
  @SendsResult()
  maskableAppIcon(): HttpResult {
    return this.maskableIcon;
  }

  @Get('static/favicon.svg')
  @SendsResult()
  faviconSvg(): HttpResult {
    return this.svgIcon;
  }

  /** Requested by browsers, feed readers and crawlers without first reading a page. */
  @Get('favicon.ico')
  @SendsResult()
  favicon(): HttpResult {
    return this.icon;
  }

  @Get('robots.txt')
  @SendsResult()
  robots(): HttpResult {
    return this.robotRules;
  }
}

function readPageFile(...path: string[]): Buffer {
  return readFileSync(join(__dirname, ...path));
}
