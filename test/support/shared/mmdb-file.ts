/** Forces the type in which a value is encoded. */
export class Typed {
  constructor(
    readonly type: number,
    readonly bytes: Buffer,
  ) {}
}

export class Pointer {
  constructor(readonly target: number) {}
}

const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

export function encoded(value: unknown): Buffer {
  if (value instanceof Typed) {
    return Buffer.concat([control(value.type, value.bytes.length), value.bytes]);
  }
  if (value instanceof Pointer) return pointer(value.target);
  if (typeof value === 'string') return encoded(new Typed(2, Buffer.from(value)));
  if (typeof value === 'boolean') return control(14, value ? 1 : 0);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return encoded(new Typed(6, bytes.subarray(bytes.findIndex((byte) => byte !== 0))));
  }
  if (Array.isArray(value))
    return Buffer.concat([control(11, value.length), ...value.map(encoded)]);
  const entries = Object.entries(value as Record<string, unknown>);
  return Buffer.concat([control(7, entries.length), ...entries.flat().map(encoded)]);
}

/** Writes the type and size. Sizes above 28 need additional bytes. */
function control(type: number, size: number): Buffer {
  const [short, more] =
    size < 29
      ? [size, Buffer.alloc(0)]
      : size < 285
        ? [29, Buffer.from([size - 29])]
        : size < 65_821
          ? [30, uint(size - 285, 2)]
          : [31, uint(size - 65_821, 3)];
  const head = type > 7 ? Buffer.from([short, type - 7]) : Buffer.from([(type << 5) | short]);
  return Buffer.concat([head, more]);
}

function pointer(target: number): Buffer {
  if (target < 2048) return Buffer.from([0x20 | (target >> 8), target & 255]);
  if (target < 526_336) {
    const rest = target - 2048;
    return Buffer.concat([Buffer.from([0x28 | (rest >> 16)]), uint(rest & 0xffff, 2)]);
  }
  if (target < 2 ** 27 + 526_336) {
    const rest = target - 526_336;
    return Buffer.concat([Buffer.from([0x30 | (rest >> 24)]), uint(rest & 0xffffff, 3)]);
  }
  return Buffer.concat([Buffer.from([0x38]), uint(target, 4)]);
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

export interface MmdbContent {
  recordBits: 24 | 28 | 32;
  ipVersion: 4 | 6;
  networks: readonly (readonly [bits: string, position: number])[];
  data: Buffer;
  metadata?: Readonly<Record<string, unknown>>;
}

type Node = [Node | number | null, Node | number | null];

export function mmdbFile({ recordBits, ipVersion, networks, data, metadata }: MmdbContent): Buffer {
  const root: Node = [null, null];
  for (const [bits, position] of networks) {
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      const next = node[Number(bit) as 0 | 1];
      if (Array.isArray(next)) node = next;
      else node = node[Number(bit) as 0 | 1] = [null, null];
    }
    node[Number(bits.at(-1)) as 0 | 1] = position;
  }
  const nodes: Node[] = [];
  const number = (node: Node): void => {
    nodes.push(node);
    for (const child of node) if (Array.isArray(child)) number(child);
  };
  number(root);
  const recordOf = (child: Node | number | null): number => {
    if (child === null) return nodes.length;
    return Array.isArray(child) ? nodes.indexOf(child) : nodes.length + 16 + child;
  };
  const tree = nodes.map((node) => {
    const [left, right] = node.map(recordOf) as [number, number];
    if (recordBits !== 28) {
      return Buffer.concat([uint(left, recordBits / 8), uint(right, recordBits / 8)]);
    }
    const middle = ((left >>> 24) << 4) | (right >>> 24);
    return Buffer.concat([
      uint(left & 0xffffff, 3),
      Buffer.from([middle]),
      uint(right & 0xffffff, 3),
    ]);
  });
  const described = {
    binary_format_major_version: 2,
    node_count: nodes.length,
    record_size: recordBits,
    ip_version: ipVersion,
    build_epoch: 1,
    ...metadata,
  };
  const separator = Buffer.alloc(16);
  return Buffer.concat([...tree, separator, data, METADATA_MARKER, encoded(described)]);
}
