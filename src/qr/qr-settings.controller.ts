import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation, Returns } from '../common/http/route.decorators';
import { type AssetResult, SendsResult } from '../common/http/http-result';
import { QrSettingsService } from './qr-images.service';
import { QrImageDto, QrStyleDto } from './qr.dto';
import { QrSettingsResponse } from './qr.response';

@ApiTags('QR codes')
@Controller('api/v1/urls/:url_id/qr')
export class QrSettingsController {
  constructor(private readonly service: QrSettingsService) {}

  @Get()
  @Access('urls:read')
  @RateLimit('qr.read')
  @Operation({
    id: 'getQrSettings',
    summary: "Read a QR code's style",
    description: "Returns the style of the link's QR code, the URLs of its images, and its size.",
  })
  @Returns(200, QrSettingsResponse, 'The style and the code', 403, 404)
  show(@IdParam("The link's ID", 'url_id') urlId: string, @CurrentPrincipal() caller: Principal) {
    return this.service.show(urlId, caller);
  }

  @Put()
  @Access('urls:manage')
  @RateLimit('qr.update')
  @Operation({
    id: 'setQrSettings',
    summary: "Set a QR code's style",
    description:
      "Stores the link's QR code style, replacing the previous one. Omitted fields get their defaults. The style applies to QR code requests that omit a parameter.",
    examples: {
      colours: {
        summary: 'Blue on a transparent background',
        value: { dark: '1d4ed8', light: 'transparent', size: 512, track: true },
      },
    },
  })
  @Returns(200, QrSettingsResponse, 'The style and the code', 403, 404)
  change(
    @IdParam("The link's ID", 'url_id') urlId: string,
    @Body() style: QrStyleDto,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.change(urlId, style, caller);
  }
}

const OWN_PICTURE =
  'Returns the QR code of one of your links, on any domain, for pages that load images only from this host.';

@ApiTags('QR codes')
@Controller('api/v1/urls/:url_id')
@Access('urls:read')
@RateLimit('qr.image')
export class OwnQrImagesController {
  constructor(private readonly service: QrSettingsService) {}

  @Get('qr.svg')
  @SendsResult()
  @Operation({
    id: 'getOwnQrSvg',
    summary: "Get your link's QR code (SVG)",
    description: OWN_PICTURE,
  })
  @ApiOkResponse({
    description: 'The code',
    content: { 'image/svg+xml': { schema: { type: 'string' } } },
  })
  @ApiErrors(403, 404)
  svg(
    @IdParam("The link's ID", 'url_id') urlId: string,
    @Query() query: QrImageDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AssetResult> {
    return this.service.image(urlId, 'svg', query, caller);
  }

  @Get('qr.png')
  @SendsResult()
  @Operation({
    id: 'getOwnQrPng',
    summary: "Get your link's QR code (PNG)",
    description: OWN_PICTURE,
  })
  @ApiOkResponse({
    description: 'The code',
    content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors(403, 404)
  png(
    @IdParam("The link's ID", 'url_id') urlId: string,
    @Query() query: QrImageDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AssetResult> {
    return this.service.image(urlId, 'png', query, caller);
  }
}
