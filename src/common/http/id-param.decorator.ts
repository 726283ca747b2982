import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ID_PROPERTY } from '../openapi/properties';
import { ParseIdPipe } from './parse-id.pipe';

/**
 * Path parameter with an id. Accepts upper case, although ids in responses are in lower case.
 * @example show(@IdParam("The link's ID", 'url_id') urlId: string)
 */
export function IdParam(description: string, name = 'id') {
  const schema = { type: 'string', pattern: '^[0-9a-fA-F]{24}$', example: ID_PROPERTY.example };
  const describe = ApiParam({ name, description, schema });
  return (controller: object, method: string, index: number): void => {
    Param(name, ParseIdPipe)(controller, method, index);
    describe(controller, method, Object.getOwnPropertyDescriptor(controller, method) ?? {});
  };
}
