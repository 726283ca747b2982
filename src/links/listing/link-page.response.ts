import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { COUNT, ISO_PROPERTY, itemPage } from '../../common/openapi/properties';
import { SORT_FIELDS, type SortField } from '../link-index/link-list';
import { LinkItemResponse } from '../making/link.response';

export class LinkPageResponse extends itemPage(LinkItemResponse) {
  @ApiProperty({ enum: SORT_FIELDS }) sortBy!: SortField;
  @ApiProperty({ enum: ['ascending', 'descending'] }) sortOrder!: 'ascending' | 'descending';

  @ApiPropertyOptional({
    ...COUNT,
    description: 'Present only with `sums=true`: clicks on all matching links, on all pages',
  })
  total_clicks?: number;

  @ApiPropertyOptional({
    ...COUNT,
    description: 'Only with `sums=true`: imported clicks on all matching links, on all pages',
  })
  imported_clicks?: number;
}

export class HotLinkResponse extends LinkItemResponse {
  @ApiProperty({ ...COUNT, description: 'Clicks in the last fourteen days' })
  recent_clicks!: number;
}

export class LinkFileResponse {
  @ApiProperty(ISO_PROPERTY) generated_at!: string;
  @ApiProperty({ type: [LinkItemResponse] }) links!: LinkItemResponse[];
}
