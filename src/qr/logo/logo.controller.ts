import {
  Body,
  Controller,
  Delete,
  Get,
  type PipeTransform,
  Put,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors, Operation } from '../../common/http/route.decorators';
import { TakesBytes } from '../../common/http/taken-body';
import { LogoRefusedError } from '../drawing/qr.errors';
import { LogosService } from './logos.service';
import { LogoRemovedResponse, LogoResponse } from '../qr.response';

const LOGO_BYTES = 256 * 1024;

class PngBodyPipe implements PipeTransform<unknown, Buffer> {
  transform(body: unknown): Buffer {
    if (Buffer.isBuffer(body) && body.length > 0) return body;
    throw new LogoRefusedError('must be a PNG (Content-Type: image/png)');
  }
}

const PNG_CONTENT = { 'image/png': { schema: { type: 'string', format: 'binary' } } };

@ApiTags('QR codes')
@Controller('api/v1/qr/logo')
@Access.session()
@RateLimit('qr.logo')
export class LogoController {
  constructor(private readonly logos: LogosService) {}

  @Put()
  @TakesBytes('image/png', LOGO_BYTES)
  @Operation({
    id: 'storeQrLogo',
    summary: 'Store your QR code logo',
    description:
      'Accepts a PNG without animation, 32 to 1024 pixels wide and high, and up to 262144 bytes. The image is re-encoded, scaled down to at most 256 pixels, and replaces the previous logo.',
  })
  @ApiConsumes('image/png')
  @ApiBody({ required: true, schema: { type: 'string', format: 'binary' } })
  @ApiOkResponse({ type: LogoResponse, description: 'The stored logo' })
  store(
    @Body(PngBodyPipe) png: Buffer,
    @CurrentPrincipal() caller: Principal,
  ): Promise<LogoResponse> {
    return this.logos.store(caller.ownerId, png);
  }

  @Get()
  @Operation({
    id: 'getQrLogo',
    summary: 'Get your QR code logo',
    description: 'Returns the stored image.',
  })
  @ApiOkResponse({ description: 'The logo', content: PNG_CONTENT })
  @ApiErrors(404)
  async show(@CurrentPrincipal() caller: Principal): Promise<StreamableFile> {
    return new StreamableFile(await this.logos.read(caller.ownerId), { type: 'image/png' });
  }

  @Delete()
  @Operation({
    id: 'removeQrLogo',
    summary: 'Remove your QR code logo',
    description:
      'Removes the logo from all of your QR codes. The response is 200 even if there is no logo.',
  })
  @ApiOkResponse({ type: LogoRemovedResponse, description: 'The account has no logo' })
  remove(@CurrentPrincipal() caller: Principal): Promise<LogoRemovedResponse> {
    return this.logos.remove(caller.ownerId).then(() => ({ success: true }));
  }
}
