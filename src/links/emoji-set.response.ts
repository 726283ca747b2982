import { ApiProperty } from '@nestjs/swagger';

/** Existing clients expect these one-letter property names. */
class AliasEmoji {
  @ApiProperty({ description: 'The emoji, without U+FE0F and skin tone', example: '🌷' })
  c!: string;
  @ApiProperty({ description: "The emoji's name", example: 'tulip' }) n!: string;
  @ApiProperty({ description: "The emoji's group", example: 'Animals & Nature' }) g!: string;
  @ApiProperty({ description: 'Whether generated aliases contain it' }) gen!: boolean;
}

export class EmojiSetResponse {
  @ApiProperty({
    description: 'Newest Unicode emoji version that aliases can contain',
    example: 15.1,
  })
  accept_max_version!: number;
  @ApiProperty({ description: 'Newest Unicode emoji version in generated aliases', example: 3 })
  generate_max_version!: number;
  @ApiProperty({ type: 'integer', example: 15 }) max_graphemes!: number;
  @ApiProperty({ type: [AliasEmoji] }) emoji!: AliasEmoji[];
}
