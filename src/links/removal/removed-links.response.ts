import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { MAX_HOST_NAME } from '../../common/host';
import { COUNT, ID_PROPERTY } from '../../common/openapi/properties';

const FQDN = { example: 'links.example.org', maxLength: MAX_HOST_NAME };

export class LinksOfDomainDto {
  @ApiProperty({
    ...FQDN,
    description: 'The name of one of your custom domains, in any state',
  })
  @MaxLength(MAX_HOST_NAME)
  @IsString()
  domain!: string;
}

export class RemovedLinksResponse {
  @ApiProperty({ enum: ['URLs deleted'] }) message!: string;
  @ApiProperty({ ...COUNT, description: 'Links deleted by this call' }) count!: number;
  @ApiProperty({ ...FQDN }) domain!: string;
  @ApiProperty({ ...COUNT, description: 'Remaining links' }) remaining!: number;
}

export class RemovedLinkResponse {
  @ApiProperty({ enum: ['URL deleted'] }) message!: string;
  @ApiProperty(ID_PROPERTY) id!: string;
}
