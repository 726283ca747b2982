import fc from 'fast-check';
import { mongo } from 'mongoose';
import { type ListedLink, NEVER, PRESENCE_BITS, toListedLink } from './listed-link';
import { searchedNote, searchedText } from './searched-texts';

const { BSON } = mongo;
const times = fc.option(fc.date({ noInvalidDate: true, min: new Date(0) }), { nil: null });
const counts = fc.oneof(
  fc.nat(),
  fc.nat(Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat().map((n) => mongo.Long.fromNumber(n)),
);
const records = fc.record({
  _id: fc.stringMatching(/^[0-9a-f]{24}$/).map((hex) => new mongo.ObjectId(hex)),
  alias: fc.constantFrom('Abc', 'Straße', '😀😀', 'x'.repeat(64), `${'a'.repeat(24)}/Abc`),
  long_url: fc.webUrl(),
  status: fc.constantFrom('ACTIVE' as const, 'INACTIVE' as const),
  closed_by_limit: fc.boolean(),
  blocked: fc.option(fc.constant({ reason: 'Spam', at: new Date(0), by: 'admin' as const }), {
    nil: undefined,
  }),
  created_at: fc.date({ noInvalidDate: true }),
  last_click: times,
  total_clicks: counts,
  expire_after: times,
  starts_at: fc.option(fc.date({ noInvalidDate: true, min: new Date(0) }), { nil: undefined }),
  max_clicks: fc.option(fc.nat(), { nil: null }),
  password_hash: fc.option(fc.string(), { nil: null }),
  touched_at: fc.date({ noInvalidDate: true }),
  title: fc.option(fc.constantFrom('', 'Spring', 'é😀', 'e\u0301'), { nil: undefined }),
  note: fc.option(
    fc.constantFrom(' A\n\tb ', '😀'.repeat(199) + 'bc', 'B \r'.repeat(99), 'é\u00a0 b'),
    { nil: undefined },
  ),
  tags: fc.option(
    fc.array(fc.stringMatching(/^[0-9a-f]{24}$/).map((hex) => new mongo.ObjectId(hex))),
    { nil: undefined },
  ),
  source: fc.option(
    fc.record({
      kind: fc.constantFrom('csv', 'bitly_api'),
      key: fc.string(),
      import: fc.stringMatching(/^[0-9a-f]{24}$/).map((hex) => new mongo.ObjectId(hex)),
    }),
    { nil: undefined },
  ),
});

describe('a listed link', () => {
  it("is decoded from its document with the same result as the driver's", () => {
    fc.assert(
      fc.property(records, fc.nat(9), (record, offset) => {
        const document = BSON.serialize(record, { ignoreUndefined: true });
        // Places the document at an offset in a larger buffer, as in a database response.
        const answer = Buffer.alloc(offset + document.length + 5, 0xff);
        answer.set(document, offset);
        const expected: ListedLink = {
          id: record._id.toHexString(),
          alias: record.alias,
          longUrl: record.long_url,
          createdAt: record.created_at.getTime(),
          lastClick: record.last_click?.getTime() ?? NEVER,
          totalClicks: Number(record.total_clicks),
          status: record.status,
          closedByLimit: record.closed_by_limit,
          blocked: record.blocked !== undefined,
          expireAfter: record.expire_after?.getTime() ?? Infinity,
          startsAt: record.starts_at?.getTime() ?? NEVER,
          present:
            (record.password_hash === null ? 0 : PRESENCE_BITS.passwordSet) |
            (record.max_clicks === null ? 0 : PRESENCE_BITS.maxClicksSet),
          touchedAt: record.touched_at.getTime(),
          title: record.title ?? '',
          note: record.note ?? '',
          tags: record.tags?.map(String) ?? [],
          source: record.source ? `${record.source.kind}/${String(record.source.import)}` : '',
        };
        const bytes = answer.subarray(offset, offset + document.length);
        const found = toListedLink(bytes);
        const [id, alias, longUrl] = [found.id, found.alias, found.longUrl].map(String);
        const [title, note] = [String(found.title), String(found.note)];
        expect({ ...found, id, alias, longUrl, title, note }).toEqual(expected);
        // The second call overwrites the result of the first.
        expect(String(searchedText(found))).toBe(String(searchedText(expected)));
        const searched = Array.from(note).slice(0, 200).join('').toLowerCase();
        expect(String(searchedNote(found))).toBe(searched.replace(/\s+/g, ' '));
        expect(String(searchedNote(expected))).toBe(searched.replace(/\s+/g, ' '));
      }),
    );
  });

  it('is rejected if it has a format that no release has written', () => {
    expect(() => toListedLink(BSON.serialize({ alias: /a/ }))).toThrow('type 11');
  });
});
