import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { answerHeaders } from '../../common/openapi/answer-headers';
import {
  contentType,
  type ExportFormat,
  EXPORT_FORMATS,
} from '../../infrastructure/files/file-formats';

/** Descriptions for file formats without a JSON schema. */
const CONTENTS: Readonly<Record<Exclude<ExportFormat, 'json'>, string>> = {
  csv: 'A zip archive: a summary, and a CSV file for each list that is not empty',
  xlsx: 'A workbook: a summary, and a sheet for each list that is not empty',
  xml: 'The JSON object as elements that name their types',
};

export function ExportFileResponse(json: Type): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(json),
    ApiOkResponse({
      description: 'The file; its media type depends on the format',
      headers: answerHeaders('Content-Disposition'),
      content: Object.fromEntries(
        EXPORT_FORMATS.map((format) => [
          contentType(format),
          {
            schema:
              format === 'json'
                ? { $ref: getSchemaPath(json) }
                : {
                    type: 'string',
                    description: CONTENTS[format],
                    ...(format === 'xml' ? {} : { format: 'binary' }),
                  },
          },
        ]),
      ),
    }),
  );
}
