import { mongo } from 'mongoose';
import { isDatabaseUnreachable, isDuplicateKey } from './database-fault';

// Errors of packages loaded once per worker (unit.setup.ts) are not instances of this file's Error.
jest.unmock('mongoose').unmock('mongodb');

function systemError(code: string, syscall?: string): Error {
  const call = syscall === undefined ? {} : { syscall };
  return Object.assign(new Error(`${syscall} ${code}`), { code, ...call });
}

/** Wraps an error as the driver does when it aborts a bulk write. */
function inBulkWrite(error: ConstructorParameters<typeof mongo.MongoBulkWriteError>[0]): Error {
  return new mongo.MongoBulkWriteError(error, {} as mongo.BulkWriteResult);
}

const UNREPLICATED = { code: 64, errmsg: 'waiting for replication timed out' };

function named(errors: unknown[]): [string, unknown][] {
  return errors.map((error) => [error instanceof Error ? error.message : String(error), error]);
}

describe('a database error', () => {
  it.each(
    named([
      new mongo.MongoNetworkError('connection 3 closed'),
      new mongo.MongoNetworkTimeoutError('connection 3 timed out'),
      new mongo.MongoServerError({ code: 91, message: 'The server is in quiesce mode' }),
      new mongo.MongoServerError({ code: 11600, message: 'interrupted at shutdown' }),
      new mongo.MongoServerError({ code: 262, message: 'operation exceeded time limit' }),
      new mongo.MongoWriteConcernError({ writeConcernError: UNREPLICATED, ok: 1 }),
      inBulkWrite({ code: UNREPLICATED.code, message: UNREPLICATED.errmsg }),
      new mongo.MongoUnexpectedServerResponseError('Unable to get response from server'),
      inBulkWrite(new mongo.MongoNetworkError('connection 4 closed')),
      inBulkWrite(new mongo.MongoServerSelectionError('no server', {} as never)),
      inBulkWrite(new mongo.MongoServerError({ code: 91, message: 'bulk in quiesce mode' })),
      inBulkWrite(systemError('EPIPE', 'write')),
      inBulkWrite(systemError('EPIPE')),
      systemError('EPIPE', 'write'),
      // Error from a write after the peer has closed the socket.
      systemError('EPIPE'),
      systemError('ECONNRESET', 'read'),
      systemError('ECONNREFUSED', 'connect'),
    ]),
  )('means that the database is unreachable: %s', (_, error) => {
    expect(isDatabaseUnreachable(error)).toBe(true);
  });

  it.each(
    named([
      new mongo.MongoServerError({ code: 11000, message: 'duplicate key' }),
      new mongo.MongoServerError({ code: 2, message: 'unknown operator: $no' }),
      inBulkWrite({ message: 'bulk refused', code: 2, writeErrors: [] }),
      inBulkWrite(new mongo.MongoServerError({ code: 13, message: 'bulk unauthorized' })),
      new mongo.MongoUnexpectedServerResponseError('Cursor document did not contain a batch'),
      systemError('ENOSPC', 'write'),
      systemError('EPIPE', 'sendmsg'),
      new TypeError('undefined is not a function'),
      'a string',
      null,
    ]),
  )('does not mean that the database is unreachable: %s', (_, error) => {
    expect(isDatabaseUnreachable(error)).toBe(false);
  });

  it('means that a unique value already exists', () => {
    const twice = new mongo.MongoServerError({ code: 11000, message: 'duplicate key' });
    expect(isDuplicateKey(twice)).toBe(true);
    expect(isDuplicateKey(new mongo.MongoServerError({ code: 91, message: '' }))).toBe(false);
  });
});
