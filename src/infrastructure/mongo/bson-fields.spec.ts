import { mongo } from 'mongoose';
import { BsonFields } from './bson-fields';

const { BSON } = mongo;
interface Found {
  clicks?: number;
  visits?: number;
  title?: string;
  tags?: number[];
  ids?: string[];
  inner?: Found;
}
const fields = new BsonFields<Found>({
  total_clicks: (found, value) => (found.clicks = value.number()),
  title: (found, value) => (found.title = value.text()),
  tags: (found, value) => (found.tags = value.elements((tag) => tag.number())),
  ids: (found, value) => (found.ids = value.elements((id) => id.hex())),
  inner: (found, value) => (found.inner = read(value.document())),
});
function read(document: object): Found {
  const bytes = document instanceof Uint8Array ? document : BSON.serialize(document);
  return fields.read(bytes, {});
}

describe('The fields of a BSON document', () => {
  it('are distinguished by their full names', () => {
    expect(read({ total_visits: 7, total_clicks: 3, total_clickz: 8, total: 1 })).toEqual({
      clicks: 3,
    });
    const both = new BsonFields<Found>({
      total_clicks: (found, value) => (found.clicks = value.number()),
      total_visits: (found, value) => (found.visits = value.number()),
    });
    const document = BSON.serialize({ total_visits: 7, total_clicks: 3 });
    expect(both.read(document, {})).toEqual({ clicks: 3, visits: 7 });
  });

  it('may contain texts and arrays of numbers', () => {
    const tags = [1, 2 ** 31 - 1, 0, ...Array.from({ length: 20 }, (_, i) => i)];
    expect(read({ tags, title: 'Größe 😀', total_clicks: 1 })).toEqual({
      ...{ tags, title: 'Größe 😀', clicks: 1 },
    });
    expect(read({ tags: [], title: '' })).toEqual({ tags: [], title: '' });
    const ids = Array.from({ length: 20 }, () => new mongo.ObjectId());
    expect(read({ ids, title: 'x' })).toEqual({ ids: ids.map(String), title: 'x' });
  });

  it('may contain documents', () => {
    const ids = [new mongo.ObjectId()];
    const document = { other: { a: 1 }, inner: { title: 'x', none: {}, ids }, total_clicks: 2 };
    expect(read(document)).toEqual({ inner: { title: 'x', ids: ids.map(String) }, clicks: 2 });
  });

  it('are omitted if they are null or unknown', () => {
    expect(read({ title: null, tags: null, other: [1, 'x'], total_clicks: 0 })).toEqual({
      clicks: 0,
    });
  });

  it('are found in any order, regardless of the previous document', () => {
    const inner = { title: 'y', total_clicks: 5 };
    const documents = [
      { title: 'a', total_clicks: 1, tags: [1] },
      { total_clicks: 2, title: 'b', tags: [2] },
      { title: 'c', title_2: 0, total_clicks: 3 },
      { titl: 0, tags: [4], inner, title: 'd' },
      { title: 'e', total_clicks: 6, tags: [7] },
    ];
    expect(documents.map(read)).toEqual([
      { title: 'a', clicks: 1, tags: [1] },
      { title: 'b', clicks: 2, tags: [2] },
      { title: 'c', clicks: 3 },
      { title: 'd', inner: { title: 'y', clicks: 5 }, tags: [4] },
      { title: 'e', clicks: 6, tags: [7] },
    ]);
  });

  it('share the strings of equal ids', () => {
    const shared = new BsonFields<{ ids: string[] }>({
      ids: (found, value) => (found.ids = value.elements((id) => id.sharedHex())),
    });
    const hex = ['0a', '0b', '1a', '0a'].map((start) => `${start}${'f'.repeat(22)}`);
    const ids = [...hex, `${'f'.repeat(20)}7fff`, `${'f'.repeat(8)}00${'f'.repeat(14)}`];
    const document = BSON.serialize({ ids: ids.map((id) => new mongo.ObjectId(id)) });
    expect(shared.read(document, { ids: [] }).ids).toEqual(ids);
    expect(shared.read(document, { ids: [] }).ids).toEqual(ids);
  });

  it('cannot be used as a table if a name is empty or the start of another', () => {
    const take = (): void => undefined;
    expect(() => new BsonFields({ '': take })).toThrow('No field is named ""');
    const byLengthAndFirst = (before: number, byte: number): number =>
      before === 0 ? byte * 256 + 1 : before + 1;
    const similar = { total_clicks: take, total_visits: take };
    expect(() => new BsonFields(similar, byLengthAndFirst)).toThrow(
      'total_clicks hides total_visits',
    );
  });
});
