import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiProduces } from '@nestjs/swagger';
import { contentType } from '../../analytics/export/attachment';
import { EXPORT_FORMATS } from '../../analytics/export/export-format';

/** Describes the file of a v0 export. */
export function ExportFile(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'format', enum: EXPORT_FORMATS, description: 'In any case' }),
    ApiProduces(...EXPORT_FORMATS.map(contentType)),
    ApiOkResponse({ description: 'A file', schema: { type: 'string', format: 'binary' } }),
  );
}
