import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { toAsset, type HttpResult, SendsResult } from '../../common/http/http-result';
import { site } from '../../common/site';

const icon = (name: string, size: number, purpose = 'any') => ({
  src: `/static/${name}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
});

/** Lets browsers install the app and share pages to it (docs/contract.md#33.3). */
@ApiExcludeController()
@Controller('manifest.webmanifest')
@Access.public()
@RateLimit.none()
export class ManifestController {
  private readonly manifest = toAsset(
    'application/manifest+json',
    Buffer.from(
      JSON.stringify({
        name: site().name,
        start_url: '/dashboard',
        display: 'standalone',
        icons: [
          icon('icon-192', 192),
          icon('icon-512', 512),
          icon('icon-maskable', 512, 'maskable'),
        ],
        share_target: {
          // Browsers replace the query with the shared data, which the app treats like `new=1`.
          action: '/dashboard/links?new=1',
          method: 'GET',
          enctype: 'application/x-www-form-urlencoded',
          params: { url: 'url', title: 'title', text: 'text' },
        },
      }),
    ),
  );

  @Get()
  @SendsResult()
  read(): HttpResult {
    return this.manifest;
  }
}
