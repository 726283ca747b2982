import { ApiProperty } from '@nestjs/swagger';
import { ID_PROPERTY, ISO_PROPERTY } from '../../common/openapi/properties';

export class DeletedClicksResponse {
  @ApiProperty({ enum: ['Clicks deleted'] }) message!: string;
  @ApiProperty(ID_PROPERTY) id!: string;

  @ApiProperty({
    ...ISO_PROPERTY,
    description: 'Clicks from visits that began at or before this time are deleted',
  })
  clicks_deleted_at!: string;
}
