import { ApiProperty } from '@nestjs/swagger';

/** Existing clients expect these one-letter property names. */
class AliasEmoji {
  @ApiProperty({ description: 'The emoji, without U+FE0F and skin tone', example: '🌷' })
  c!: string;
  @ApiProperty({ description: 'Name of the emoji', example: 'tulip' }) n!: string;
  @ApiProperty({ description: 'Group of the emoji', example: 'Animals & Nature' }) g!: string;
  @ApiProperty({ description: 'Whether generated aliases contain it' }) gen!: boolean;
}

export class EmojiSetResponse {
  @ApiProperty({ description: 'Newest accepted version of Unicode emoji', example: 15.1 })
  accept_max_version!: number;
  @ApiProperty({ description: 'Newest version in generated aliases', example: 3 })
  generate_max_version!: number;
  @ApiProperty({ type: 'integer', example: 15 }) max_graphemes!: number;
  @ApiProperty({ type: [AliasEmoji] }) emoji!: AliasEmoji[];
}
