import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { CheckedNames, IsDigits, IsFlag } from '../common/http/validators';
import { QR_LEVELS, type QrStyle } from '../stores/links/link';
import { HEX_COLOUR, TRANSPARENT } from './drawing/colour';
import { USUAL_STYLE } from './qr-style';

function styleField(
  described: ApiPropertyOptions,
  ...checks: PropertyDecorator[]
): PropertyDecorator {
  const property = { ...described, nullable: true } as ApiPropertyOptions;
  return applyDecorators(ApiPropertyOptional(property), IsOptional(), ...checks);
}

function IntegerField(minimum: number, maximum: number, value: number, description: string) {
  const described = { type: 'integer', minimum, maximum, default: value, description } as const;
  return styleField(described, Max(maximum), Min(minimum), IsInt());
}

function ColourField(value: string, description: string, form = HEX_COLOUR): PropertyDecorator {
  const words = form === HEX_COLOUR ? '' : `, or ${TRANSPARENT}`;
  const message = `must be 3, 4, 6 or 8 hexadecimal digits${words}`;
  const described = { type: String, default: value, description: `${description}: ${message}` };
  return styleField(described, Matches(form, { message }));
}

function StyleFlagField(description: string): PropertyDecorator {
  return styleField({ type: Boolean, default: false, description }, IsBoolean());
}

const LIGHT_COLOUR = new RegExp(`${HEX_COLOUR.source}|^${TRANSPARENT}$`, 'i');
const { size, margin, level, dark, light } = USUAL_STYLE;

class QrStyleFields {
  @IntegerField(64, 2048, size, 'Width and height in pixels; each module needs at least two')
  size?: number | null;

  @IntegerField(0, 16, margin, 'Width of the margin in modules; scanners expect 4')
  margin?: number | null;

  @styleField(
    {
      enum: QR_LEVELS,
      default: level,
      description: 'Error correction level. With a logo, L and M become Q',
    },
    IsIn(QR_LEVELS),
  )
  level?: QrStyle['level'] | null;

  @ColourField(dark, 'Module colour, with a contrast of at least 4.5 to `light`')
  dark?: string | null;

  @ColourField(light, 'Background colour', LIGHT_COLOUR) light?: string | null;

  @StyleFlagField('Whether the code contains your logo, which covers up to 22% of the code')
  logo?: boolean | null;

  @StyleFlagField('Whether the code adds `?qr=1` to the short URL') track?: boolean | null;
}

@CheckedNames()
export class QrStyleDto extends QrStyleFields {}

export class QrImageDto extends QrStyleFields {
  @IsDigits()
  override size?: number;

  @IsDigits()
  override margin?: number;

  @IsFlag()
  override logo?: boolean;

  @IsFlag()
  override track?: boolean;

  @IsFlag()
  @StyleFlagField('Whether browsers save the image under the alias as its name')
  download?: boolean;
}
