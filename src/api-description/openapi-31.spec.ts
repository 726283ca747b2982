import { toOpenApi31 } from './openapi-31';

describe('A document in OpenAPI 3.1 terms', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ type: 'string', nullable: false }, { type: 'string' }],
    [
      { oneOf: [{ type: 'integer' }, { type: 'string' }], nullable: true },
      { oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] },
    ],
    [
      { type: 'object', allOf: [{ $ref: '#/a' }], nullable: true, description: 'x' },
      { oneOf: [{ $ref: '#/a' }, { type: 'null' }], description: 'x' },
    ],
    [
      { allOf: [{ $ref: '#/a' }], description: 'x' },
      { $ref: '#/a', description: 'x' },
    ],
  ])('%j becomes %j', (made, wanted) => {
    expect(toOpenApi31({ properties: { field: made } })).toEqual({ properties: { field: wanted } });
  });

  it('does not change examples', () => {
    const example = [{ nullable: true }];
    expect(toOpenApi31({ example })).toEqual({ example });
  });
});
