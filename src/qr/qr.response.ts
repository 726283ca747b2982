import { ApiProperty } from '@nestjs/swagger';
import { QR_LEVELS, type QrStyle } from '../stores/links/link';
import type { QrMatrix } from './drawing/qr-matrix';
import { encodedUrl, QUIET_ZONE } from './qr-style';
import { COUNT } from '../common/openapi/properties';

const COLOUR = {
  description: '6 lower-case hexadecimal digits, or 8 if not opaque; `light` may be `transparent`',
  pattern: '^([0-9a-f]{6}|[0-9a-f]{8}|transparent)$',
} as const;

class QrStyleResponse implements QrStyle {
  @ApiProperty({
    type: 'integer',
    minimum: 64,
    maximum: 2048,
    description: 'Width and height in pixels',
  })
  size!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: 16,
    description: 'Width of the margin in modules',
  })
  margin!: number;

  @ApiProperty({ enum: QR_LEVELS, description: 'Error correction level' }) level!: QrStyle['level'];
  @ApiProperty({ ...COLOUR, example: '000000' }) dark!: string;
  @ApiProperty({ ...COLOUR, example: 'ffffff' }) light!: string;
  @ApiProperty({ description: 'Whether the code contains your logo' }) logo!: boolean;
  @ApiProperty({ description: 'Whether the code adds `?qr=1`' }) track!: boolean;
}

export class QrSettingsResponse {
  @ApiProperty({ format: 'uri', example: 'https://go.example.com/spring-sale/qr.svg' })
  svg_url!: string;

  @ApiProperty({ format: 'uri', example: 'https://go.example.com/spring-sale/qr.png' })
  png_url!: string;

  @ApiProperty() style!: QrStyleResponse;

  @ApiProperty({
    description: 'Whether a code in this style can be scanned; false if the short URL is too long',
  })
  scannable!: boolean;

  @ApiProperty({ description: 'Whether the margin has at least 4 modules' }) quiet_zone!: boolean;

  @ApiProperty({ type: 'integer', nullable: true, minimum: 1, maximum: 10 })
  version!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 21,
    maximum: 57,
    description: 'Width and height in modules, without the margin',
  })
  modules!: number | null;
}

export function toQrSettings(
  shortUrl: string,
  style: QrStyle,
  code: Pick<QrMatrix, 'size' | 'version'> | null,
): QrSettingsResponse {
  const url = encodedUrl(shortUrl);
  return {
    svg_url: `${url}/qr.svg`,
    png_url: `${url}/qr.png`,
    style,
    scannable: code !== null,
    quiet_zone: style.margin >= QUIET_ZONE,
    version: code?.version ?? null,
    modules: code?.size ?? null,
  };
}

export class LogoResponse {
  @ApiProperty({ ...COUNT, maximum: 256 }) width!: number;
  @ApiProperty({ ...COUNT, maximum: 256 }) height!: number;
  @ApiProperty({ ...COUNT, description: 'Size of the stored PNG in bytes' }) bytes!: number;
}

export class LogoRemovedResponse {
  @ApiProperty({ enum: [true] }) success!: boolean;
}
