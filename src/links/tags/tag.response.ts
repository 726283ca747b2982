import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, UNIX } from '../../common/openapi/properties';
import { unixSeconds } from '../../common/time';
import type { TagCounts } from '../link-index/link-list';
import { type Tag, TAG_COLORS, type TagColor } from '../../stores/tags/tag';

export class TagResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ example: 'Spring sale' }) name!: string;
  @ApiProperty({ enum: TAG_COLORS }) color!: TagColor;
  @ApiProperty({ ...COUNT, description: 'Links with this tag, in any status' }) links!: number;

  @ApiProperty({
    ...COUNT,
    description: 'Imported clicks on these links, not part of total_clicks',
  })
  imported_clicks!: number;

  @ApiProperty(UNIX) created_at!: number;
}

export class TagListResponse {
  @ApiProperty({ type: [TagResponse] }) tags!: TagResponse[];
}

export class RemovedTagResponse {
  @ApiProperty({ enum: ['Tag deleted'] }) message!: string;
  @ApiProperty(ID_PROPERTY) id!: string;
}

export function toTagResponse(
  { id, name, color, createdAt }: Tag,
  { links, importedClicks }: TagCounts = { links: 0, importedClicks: 0 },
): TagResponse {
  const counts = { links, imported_clicks: importedClicks };
  return { id, name, color, ...counts, created_at: unixSeconds(createdAt) };
}
