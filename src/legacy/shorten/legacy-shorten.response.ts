import { ApiProperty } from '@nestjs/swagger';
import { LONG_URL } from '../../links/making/link.response';

export class LegacyLinkResponse {
  @ApiProperty({ example: 'https://go.example.com/spring-sale' }) short_url!: string;
  @ApiProperty({ description: "The short URL's host", example: 'go.example.com' }) domain!: string;
  @ApiProperty(LONG_URL) original_url!: string;
}
