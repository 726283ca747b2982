import { ApiProperty } from '@nestjs/swagger';
import { COUNT } from '../../common/openapi/properties';

export class LogoResponse {
  @ApiProperty({ ...COUNT, maximum: 256 }) width!: number;
  @ApiProperty({ ...COUNT, maximum: 256 }) height!: number;
  @ApiProperty({ ...COUNT, description: 'Size of the stored PNG' }) bytes!: number;
}

export class LogoRemovedResponse {
  @ApiProperty({ enum: [true] }) success!: boolean;
}
