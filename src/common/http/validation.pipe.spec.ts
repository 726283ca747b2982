import { plainToInstance } from 'class-transformer';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { RequestValidationPipe } from './validation.pipe';

const transformed: string[][] = [];
jest.mock('class-transformer', () => {
  const real = jest.requireActual<typeof import('class-transformer')>('class-transformer');
  return {
    ...real,
    plainToInstance: jest.fn((...given: Parameters<typeof plainToInstance>) => {
      transformed.push(Object.keys(given[1] as object));
      return real.plainToInstance(...given);
    }),
  };
});

class Named {
  @IsString()
  @MaxLength(3)
  name!: string;
}

class Person extends Named {
  @IsOptional()
  @IsString()
  title?: string | null;
}

describe('request validation', () => {
  const pipe = new RequestValidationPipe();
  const read = (value: unknown, type: 'body' | 'query' = 'body'): Promise<unknown> =>
    pipe.transform(value, { type, metatype: Person });
  beforeEach(() => transformed.splice(0));

  it.each(['body', 'query'] as const)('transforms only declared fields (%s)', async (type) => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}`, i]));
    const found = await read({ ...unknown, name: 'Ada', title: null }, type);
    expect(transformed).toEqual([['name', 'title']]);
    expect(found).toBeInstanceOf(Person);
    expect(found).toEqual({ name: 'Ada', title: null });
  });

  it('does not add absent fields', async () => {
    expect(Object.keys((await read({ name: 'Ada' })) as object)).toEqual(['name']);
  });

  it('reads no value from a prototype', async () => {
    const found = read(JSON.parse('{"__proto__":{"name":"Ada"},"constructor":1}'));
    await expect(found).rejects.toMatchObject({ status: 422, field: 'name' });
  });

  it.each([[[]], ['text'], [null], [undefined], [7]])('rejects %j as a body', async (value) => {
    expect(() => pipe.transform(value, { type: 'body', metatype: Person })).toThrow(
      expect.objectContaining({ status: 422, field: 'input' }),
    );
    await Promise.resolve();
  });
});
