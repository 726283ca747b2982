import type { ErrorForm } from '../../common/http/error-response';
import { xmlContent } from '../../infrastructure/files/xml';
import type { YourlsBody } from './yourls.errors';

/** Writes a response in the requested format (docs/contract.md#35.2). */
export function yourlsForm(format: string | null, { fields, simple }: YourlsBody): ErrorForm {
  switch (format) {
    case 'json':
    case 'jsonp':
      return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(fields) };
    case 'xml':
    case null:
      return {
        contentType: 'application/xml; charset=utf-8',
        body: `<?xml version="1.0" encoding="UTF-8"?>\n${element('root', fields)}`,
      };
    default:
      return { contentType: 'text/plain; charset=utf-8', body: simple };
  }
}

function element(name: string, value: unknown): string {
  const content =
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .filter(([, inner]) => inner !== undefined)
          .map(([key, inner]) => element(key, inner))
          .join('')
      : xmlContent(String(value));
  return `<${name}>${content}</${name}>`;
}
