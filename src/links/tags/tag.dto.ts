import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { CheckedNames, SoundText } from '../../common/http/validators';
import { MAX_TAG_NAME, TAG_COLORS, type TagColor, tagNameProblem } from '../../stores/tags/tag';

const TAG_NAME = {
  type: String,
  minLength: 1,
  description: `Up to ${MAX_TAG_NAME} characters, not counting leading, trailing and repeated whitespace, which is removed. Must not contain a comma or be \`(none)\``,
  example: 'Spring sale',
};

function ColorField(): PropertyDecorator {
  const described = {
    enum: TAG_COLORS,
    nullable: true,
    description: 'Chosen by the service if absent',
  };
  return applyDecorators(IsIn(TAG_COLORS), IsOptional(), ApiPropertyOptional(described));
}

@CheckedNames()
export class CreateTagDto {
  @SoundText(tagNameProblem)
  @ApiProperty(TAG_NAME)
  name!: string;

  @ColorField() color?: TagColor | null;
}

/** Null keeps the current value. */
@CheckedNames()
export class UpdateTagDto {
  @SoundText(tagNameProblem)
  @IsOptional()
  @ApiPropertyOptional({ ...TAG_NAME, nullable: true })
  name?: string | null;

  @ColorField() color?: TagColor | null;
}

export const TAG_SORT_FIELDS = ['name', 'links'] as const;

export class ListTagsDto {
  @ApiPropertyOptional({ maxLength: 100, description: "Part of the tag's name, in any case" })
  @IsOptional()
  @MaxLength(100)
  @IsString()
  search?: string;

  @ApiPropertyOptional({
    enum: TAG_SORT_FIELDS,
    default: 'name',
    description: '`links` puts the tag with the most links first',
  })
  @IsIn(TAG_SORT_FIELDS)
  sortBy: (typeof TAG_SORT_FIELDS)[number] = 'name';
}
