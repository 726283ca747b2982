import { newRequestId } from './response-headers';

describe('A request id', () => {
  it('is unique and has 12 hex digits, for any number of requests', () => {
    const ids = Array.from({ length: 2000 }, () => newRequestId());
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
