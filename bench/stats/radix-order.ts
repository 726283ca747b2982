const DIGIT_BITS = 11;
const SHIFTS = [0, 11, 22];
const BUCKETS = 1 << DIGIT_BITS;
const MASK = BUCKETS - 1;

export function radixOrder(keys: Uint32Array): Uint32Array {
  const n = keys.length;
  let fromKeys = keys;
  let from: Uint32Array = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) from[i] = i;
  let toKeys: Uint32Array = new Uint32Array(n);
  let to: Uint32Array = new Uint32Array(n);
  for (const shift of SHIFTS) {
    const places = startsOf(fromKeys, shift);
    for (let i = 0; i < n; i += 1) {
      const key = fromKeys[i] ?? 0;
      const bucket = (key >>> shift) & MASK;
      const place = places[bucket] ?? 0;
      places[bucket] = place + 1;
      toKeys[place] = key;
      to[place] = from[i] ?? 0;
    }
    // Never overwrites the caller's keys. Only the other two arrays are swapped.
    const spare = fromKeys === keys ? new Uint32Array(n) : fromKeys;
    [fromKeys, toKeys] = [toKeys, spare];
    [from, to] = [to, from];
  }
  return from;
}

function startsOf(keys: Uint32Array, shift: number): Uint32Array {
  const starts = new Uint32Array(BUCKETS);
  for (let i = 0; i < keys.length; i += 1) {
    const bucket = ((keys[i] ?? 0) >>> shift) & MASK;
    starts[bucket] = (starts[bucket] ?? 0) + 1;
  }
  let next = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const count = starts[bucket] ?? 0;
    starts[bucket] = next;
    next += count;
  }
  return starts;
}
