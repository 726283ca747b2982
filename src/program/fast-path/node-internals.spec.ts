import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { findMissingInternal } from './node-internals';

describe('the check of what Node does not document', () => {
  afterEach(() => jest.restoreAllMocks());

  it('finds everything in this Node', async () => {
    expect(await findMissingInternal()).toBeNull();
  });

  it('names what another Node lacks', async () => {
    const set = jest.spyOn(ServerResponse.prototype, 'assignSocket');
    set.mockImplementation(function (this: ServerResponse, socket) {
      Object.assign(this, { socket });
    });
    expect(await findMissingInternal()).toBe('_httpMessage');
  });

  it('finds that the parser does not report the beginning of a request', async () => {
    jest.spyOn(performance, 'now').mockReturnValue(0);
    expect(await findMissingInternal()).toBe('kOnMessageBegin');
  });

  it('finds that the parser is not reached by a listener', async () => {
    jest.spyOn(Socket.prototype, 'listeners').mockReturnValue([]);
    expect(await findMissingInternal()).toBe('useUserBuffer');
  });
});
