import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiQuery } from '@nestjs/swagger';
import { TakesForms } from './taken-body';

interface FormField {
  readonly description: string;
  readonly required?: true;
  readonly example?: string;
  readonly schema?: Readonly<{ pattern?: string; maxLength?: number; format?: string }>;
}

export type FormFields = Readonly<Record<string, FormField>>;

/** Makes a route accept a form, and describes it. */
export function FormBody(fields: FormFields): MethodDecorator {
  const entries = Object.entries(fields);
  return applyDecorators(
    TakesForms(),
    ApiConsumes('application/x-www-form-urlencoded', 'multipart/form-data'),
    ApiBody({
      required: entries.some(([, { required }]) => required === true),
      schema: {
        type: 'object',
        required: entries.filter(([, { required }]) => required).map(([name]) => name),
        properties: Object.fromEntries(
          entries.map(([name, { description, example, schema }]) => [
            name,
            { type: 'string', ...schema, description, ...(example && { example }) },
          ]),
        ),
      },
    }),
  );
}

export function FormQuery(fields: FormFields): MethodDecorator {
  return applyDecorators(
    ...Object.entries(fields).map(([name, { description, required, example, schema }]) =>
      ApiQuery({
        name,
        description,
        required: required ?? false,
        schema: { type: 'string', ...schema, ...(example && { example }) },
      }),
    ),
  );
}
