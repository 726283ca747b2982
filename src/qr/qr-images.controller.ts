import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, MayLeadElsewhere, Operation } from '../common/http/route.decorators';
import { RequestedDomainId } from '../common/http/requested-domain.decorator';
import { type AssetResult, SendsResult } from '../common/http/http-result';
import { CodeParam } from '../common/openapi/properties';
import { QrImagesService } from './qr-images.service';
import { QrImageDto } from './qr.dto';

const ABOUT =
  "Returns the QR code of any existing link, even a closed one. The link's stored style applies to parameters that the query omits.";

@ApiTags('QR codes')
@Controller(':code')
@CodeParam()
@Access.public()
@RateLimit('qr.image')
export class QrImagesController {
  constructor(private readonly service: QrImagesService) {}

  @Get('qr.svg')
  @SendsResult()
  @Operation({ id: 'getQrSvg', summary: "Get a link's QR code (SVG)", description: ABOUT })
  @ApiOkResponse({
    description: 'The code',
    content: { 'image/svg+xml': { schema: { type: 'string' } } },
  })
  @ApiErrors(404, 410)
  @MayLeadElsewhere()
  svg(
    @Param('code') code: string,
    @RequestedDomainId() domainId: string | null,
    @Query() query: QrImageDto,
  ): Promise<AssetResult> {
    return this.service.image(code, domainId, 'svg', query);
  }

  @Get('qr.png')
  @SendsResult()
  @Operation({
    id: 'getQrPng',
    summary: "Get a link's QR code (PNG)",
    description: `${ABOUT} Each module is a whole number of pixels, at least two; the rest of the size is margin.`,
  })
  @ApiOkResponse({
    description: 'The code',
    content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiErrors(404, 410)
  @MayLeadElsewhere()
  png(
    @Param('code') code: string,
    @RequestedDomainId() domainId: string | null,
    @Query() query: QrImageDto,
  ): Promise<AssetResult> {
    return this.service.image(code, domainId, 'png', query);
  }
}
