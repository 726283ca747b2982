import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { findMissingInternal } from './node-internals';

describe('the check of undocumented Node.js internals', () => {
  afterEach(() => jest.restoreAllMocks());

  it('finds all internals in this version of Node.js', async () => {
    expect(await findMissingInternal()).toBeNull();
  });

  it('reports which internals another version lacks', async () => {
    const set = jest.spyOn(ServerResponse.prototype, 'assignSocket');
    set.mockImplementation(function (this: ServerResponse, socket) {
      Object.assign(this, { socket });
    });
    expect(await findMissingInternal()).toBe('_httpMessage');
  });

  it('detects that the parser does not report the beginning of a request', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(0);
    expect(await findMissingInternal()).toBe('kOnMessageBegin');
  });

  it('detects that a listener does not reach the parser', async () => {
    jest.spyOn(Socket.prototype, 'listeners').mockReturnValue([]);
    expect(await findMissingInternal()).toBe('useUserBuffer');
  });
});
