import { BadRequestError } from '../../common/errors';
import { FIXED_SEGMENTS } from '../../common/routes';
import { aliasObjection, aliasShapeProblem, cutAlias, refuseReserved } from './alias';

describe('an alias', () => {
  it('is cut to 16 characters', () => {
    expect(cutAlias('a'.repeat(5000))).toBe('a'.repeat(16));
    expect(aliasShapeProblem('a'.repeat(5000))).toBeNull();
    expect(cutAlias('short')).toBe('short');
  });

  it.each(['ab', 'a b', 'ünïcode', 'semi;colon', 'slash/no', ''])(
    'must not look like %p',
    (text) => {
      expect(aliasShapeProblem(text)).not.toBeNull();
    },
  );

  it('is checked after the cut, so that an invalid seventeenth character is accepted', () => {
    expect(aliasShapeProblem('abcdefghijklmnop?!')).toBeNull();
  });

  it.each(['api', 'API', 'Docs', 'terms-of-service', 'terms-of-service-extra', '_next'])(
    'is rejected because it is reserved: %s',
    (text) => {
      expect(() => refuseReserved(cutAlias(text))).toThrow(BadRequestError);
    },
  );

  it.each([...FIXED_SEGMENTS])("is rejected if %s is one of the service's paths", (segment) => {
    expect(() => refuseReserved(cutAlias(segment))).toThrow(BadRequestError);
    expect(() => refuseReserved(cutAlias(segment.toUpperCase()))).toThrow(BadRequestError);
  });

  it.each([
    ['ab', 'length'],
    ['abcdefghijklmnopq', 'length'],
    ['a?c', 'format'],
    ['health', 'reserved'],
    ['fine-one', null],
  ])('%s is rejected with %p', (text, objection) => {
    expect(aliasObjection(text)).toBe(objection);
  });
});
