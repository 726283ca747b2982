import type { ErrorForm } from '../../common/http/error-response';
import { xmlContent } from '../../infrastructure/files/xml';

/** The body of a YOURLS response, and the text that `format=simple` returns instead. */
export interface YourlsBody {
  readonly fields: object;
  readonly simple: string;
}

/** Writes a response in the requested format (docs/contract.md#35.2). */
export function yourlsForm(format: string | null, { fields, simple }: YourlsBody): ErrorForm {
  const [contentType, body] =
    format === 'json' || format === 'jsonp'
      ? ['application/json', JSON.stringify(fields)]
      : format === 'xml' || format === null
        ? ['application/xml', `<?xml version="1.0" encoding="UTF-8"?>\n${element('root', fields)}`]
        : ['text/plain', simple];
  return { contentType: `${contentType}; charset=utf-8`, body };
}

function element(name: string, value: unknown): string {
  const content =
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([key, inner]) => (inner === undefined ? '' : element(key, inner)))
          .join('')
      : xmlContent(String(value));
  return `<${name}>${content}</${name}>`;
}
